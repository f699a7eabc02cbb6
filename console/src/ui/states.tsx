/** What stands where something would: nothing there, not yet, not possible, not allowed. Each says what to do next. */
import { CircleX, Inbox, Lock, type LucideIcon, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "../../../clients/api/problem.ts";
import { Button } from "./Button.tsx";
import css from "./states.module.css";

type StateProps = { icon: LucideIcon; title: string; children?: ReactNode; action?: ReactNode };

function State({ icon: Icon, title, children, action }: StateProps) {
  return (
    <div className={css.state}>
      <Icon size={22} aria-hidden className={css.icon} />
      <p className={css.title}>{title}</p>
      {children && <div className={css.text}>{children}</div>}
      {action}
    </div>
  );
}

export function Empty({ title, children, action }: Omit<StateProps, "icon">) {
  return <State icon={Inbox} title={title} action={action} {...(children !== undefined && { children })} />;
}

/** Lines in the place of a list; read out once. */
export function Loading({ lines = 3, what = "Loading" }: { lines?: number; what?: string }) {
  return (
    <div className={css.loading} role="img" aria-label={what}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are all alike
        <span key={line} className={css.line} />
      ))}
    </div>
  );
}

/** What is there, and not for this reader. */
export function Forbidden({ children }: { children: ReactNode }) {
  return (
    <State icon={Lock} title="Not allowed">
      {children}
    </State>
  );
}

type FailedProps = { error: Error; onRetry?: () => void };

/** A read that failed. A resource that may not be read looks like one that is not there, and is told so. */
export function Failed({ error, onRetry }: FailedProps) {
  const status = error instanceof ApiError ? error.status : 0;
  if (status === 404) {
    return (
      <State icon={SearchX} title="Not here">
        It does not exist, or you may not see it. Whoever administers the organization can give you a role.
      </State>
    );
  }
  if (status === 403) return <Forbidden>{error.message}</Forbidden>;
  const action = onRetry && <Button onClick={onRetry}>Try again</Button>;
  return (
    <State icon={CircleX} title="That did not work" action={action}>
      <ErrorText error={error} />
    </State>
  );
}

/** What a refusal says, with what it says of fields, and the id to ask an operator about. */
export function ErrorText({ error }: { error: Error }) {
  if (!(error instanceof ApiError))
    return <p>The service did not answer. {navigator.onLine ? "" : "You are offline."}</p>;
  return (
    <>
      <p>{error.message}</p>
      {error.fields.length > 0 && (
        <ul>
          {error.fields.map(({ field, message }) => (
            <li key={field + message}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {error.status >= 500 && error.requestId && (
        <p>
          The request was <code>{error.requestId}</code>.
        </p>
      )}
    </>
  );
}
