/** Why the engine does something, from its own word for it (`action_reason` of its JSON plan). Pure. */

const REASONS = new Map([
  ["replace_because_tainted", "it is tainted: an earlier apply left it unfinished"],
  ["replace_because_cannot_update", "it cannot be changed in place"],
  ["replace_by_request", "its replacement was asked for"],
  ["replace_by_triggers", "something it is replaced with changes"],
  ["delete_because_no_resource_config", "it is no longer in the configuration"],
  ["delete_because_no_module", "its module is no longer in the configuration"],
  ["delete_because_wrong_repetition", "its count or for_each is another kind now"],
  ["delete_because_count_index", "its index is beyond the count"],
  ["delete_because_each_key", "its key is no longer in for_each"],
  ["delete_because_no_move_target", "what it was to move to is not in the configuration"],
  ["read_because_config_unknown", "its configuration is known after apply"],
  ["read_because_dependency_pending", "what it depends on changes"],
  ["read_because_check_nested", "a check reads it at every apply"],
]);

/** A word that is not known is shown as it is. */
export function reasonText(reason: string | undefined): string | null {
  if (reason === undefined || reason === "") return null;
  return REASONS.get(reason) ?? reason.replaceAll("_", " ");
}
