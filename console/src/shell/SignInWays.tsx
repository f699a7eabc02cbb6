/** The ways of signing in that this installation has, and those of an organization by its handle. */
import { useQuery } from "@tanstack/react-query";
import { LogIn } from "lucide-react";
import { useState } from "react";
import { orgWaysQuery, platformWaysQuery, type Way } from "../data/signIn.ts";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { Failed, Loading } from "../ui/states.tsx";
import { preference, setPreference } from "./preferences.ts";
import css from "./SignInWays.module.css";

/** The organization of an installation on one machine. */
const LOCAL = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname) ? "local" : "";

type Props = { org?: string | undefined; onChoose: (way: Way) => void };

export function SignInWays({ org, onChoose }: Props) {
  const [handle, setHandle] = useState(org ?? preference("sign-in") ?? LOCAL);
  const platform = useQuery(platformWaysQuery());
  const own = useQuery(orgWaysQuery(handle));
  const choose = (way: Way) => {
    setPreference("sign-in", handle);
    onChoose(way);
  };
  if (platform.isPending) return <Loading lines={2} what="Ways of signing in" />;
  if (platform.isError) return <Failed error={platform.error} onRetry={() => void platform.refetch()} />;
  return (
    <div className={css.ways}>
      <WayButtons ways={platform.data} onChoose={choose} />
      <Field
        label="Organization"
        hint={own.isSuccess && own.data.length === 0 ? "No organization of this name has a sign-in of its own." : null}
      >
        <input
          value={handle}
          autoComplete="organization"
          spellCheck={false}
          placeholder="its sign-in name"
          onChange={(event) => setHandle(event.target.value.trim().toLowerCase())}
        />
      </Field>
      <WayButtons ways={own.data ?? []} onChoose={choose} />
    </div>
  );
}

function WayButtons({ ways, onChoose }: { ways: readonly Way[]; onChoose: (way: Way) => void }) {
  return ways.map((way) => (
    <Button key={way.path} kind="primary" icon={<LogIn size={16} aria-hidden />} onClick={() => onChoose(way)}>
      Sign in with {way.name}
    </Button>
  ));
}
