-- Why a pull request is not approved, or its checks have not passed, in words for people.
alter table pull_requests add column approved_reason text, add column checks_reason text;
