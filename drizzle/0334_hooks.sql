-- Commands of a stack's settings that its runs carry out: before and after the plan, before and after the apply.

alter table stacks add column hooks jsonb not null default '{}';
-- As the stack had them when the deployment was made, so that an apply has those of its plan.
alter table deployments add column hooks jsonb not null default '{}';
