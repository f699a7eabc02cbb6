-- Why the code host will never take a preview's commit status or comment as it is now; null while it was not refused for good.
alter table pull_request_stacks add column status_refusal text, add column comment_refusal text;
