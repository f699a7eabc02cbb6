/** Everything by its name: pages, what this page can do, stacks, a deployment by its id. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command as List } from "cmdk";
import { useDeferredValue, useEffect, useRef, useState } from "react";
import { allDeploymentsQuery } from "../data/deployments.ts";
import { stacksQuery } from "../data/stacks.ts";
import { Kbd } from "../ui/Kbd.tsx";
import { StatusBadge } from "../ui/StatusBadge.tsx";
import { type Command, useAllCommands } from "./commands.ts";
import css from "./Palette.module.css";

const GROUPS = ["This page", "Go to", "Everywhere"] as const;
const FEW = 8;

export default function Palette({ org, onClose }: { org: string | undefined; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const commands = useAllCommands().toReversed().flat();
  useEffect(() => {
    dialog.current?.showModal();
    // The browser would begin with what is around it, where nothing can be typed.
    dialog.current?.querySelector("input")?.focus();
  }, []);
  const run = (action: () => void) => {
    onClose();
    action();
  };
  return (
    <dialog ref={dialog} className={css.palette} aria-label="Search or jump" onClose={onClose}>
      <List label="Search or jump" loop>
        <List.Input onValueChange={setText} placeholder="A stack, a page, something to do" className={css.input} />
        <List.List className={css.list}>
          <List.Empty className={css.empty}>Nothing has this name.</List.Empty>
          {org !== undefined && text.trim() !== "" && <Found org={org} text={text.trim()} run={run} />}
          {GROUPS.map((group) => (
            <CommandGroup key={group} group={group} commands={commands} run={run} />
          ))}
        </List.List>
      </List>
    </dialog>
  );
}

type Run = (action: () => void) => void;

function CommandGroup({ group, commands, run }: { group: string; commands: readonly Command[]; run: Run }) {
  const own = commands.filter((command) => command.group === group);
  if (own.length === 0) return null;
  return (
    <List.Group heading={group} className={css.group}>
      {own.map(({ label, keys, run: action }) => (
        <List.Item
          key={label}
          value={`${group} ${label}`}
          keywords={[label]}
          onSelect={() => run(action)}
          className={css.item}
        >
          {label}
          {keys && <Kbd keys={keys} />}
        </List.Item>
      ))}
    </List.Group>
  );
}

function Found({ org, text, run }: { org: string; text: string; run: Run }) {
  const search = useDeferredValue(text);
  const navigate = useNavigate();
  const stacks = useInfiniteQuery(stacksQuery(org, { search, limit: FEW }));
  const isCommit = /^[0-9a-f]{40}$/.test(search);
  const { data: deployments = [] } = useInfiniteQuery({
    ...allDeploymentsQuery(org, { commit_sha: search, limit: FEW }),
    enabled: isCommit,
  });
  return (
    <>
      <List.Group heading="Stacks" className={css.group}>
        {(stacks.data ?? []).map(({ id, name, latest_deployment_status }) => (
          <List.Item
            key={id}
            value={`stack ${id}`}
            keywords={[text]}
            className={css.item}
            onSelect={() => run(() => void navigate({ to: "/orgs/$org/stacks/$stack", params: { org, stack: id } }))}
          >
            {name}
            {latest_deployment_status && <StatusBadge status={latest_deployment_status} />}
          </List.Item>
        ))}
      </List.Group>
      {deployments.length > 0 && (
        <List.Group heading="Deployments of this commit" className={css.group}>
          {deployments.map(({ id, stack_id: stack, status }) => (
            <List.Item
              key={id}
              value={`deployment ${id}`}
              keywords={[text]}
              className={css.item}
              onSelect={() =>
                run(() => void navigate({ to: "/orgs/$org/stacks/$stack/deployments/$id", params: { org, stack, id } }))
              }
            >
              {stack}
              <StatusBadge status={status} />
            </List.Item>
          ))}
        </List.Group>
      )}
    </>
  );
}
