/**
 * The three private repositories of the demo's anthem: its configuration, the lyrics that are a submodule of it, and
 * a module that it takes from a branch.
 */
import { type SmallRepository, smallRepository } from "./smallRepository.ts";

export const VERSE = "Over the hills and far away";
export const TICKET = "TF_VAR_ticket";

/** What the state of the anthem says. */
export type Sung = { title: string; verse: string; score: string; ticket: string };

export type AnthemRepositories = {
  /** Bare repositories, by the names under which a host serves them. */
  served: Record<string, string>;
  configuration: SmallRepository;
  /** A configuration with this title, which takes its module from the host. */
  withTitle(title: string, modulesUrl: string): Record<string, string>;
  /** Lyrics, their place in the configuration, and a module with this score. */
  begin(score: string): Promise<void>;
  /** The module's branch moves. */
  score(score: string): Promise<string>;
};

export async function anthemRepositories(folder: string): Promise<AnthemRepositories> {
  const [configuration, lyrics, modules] = await Promise.all(
    ["anthem", "lyrics", "modules"].map((name) => smallRepository(folder, name)) as [
      Promise<SmallRepository>,
      Promise<SmallRepository>,
      Promise<SmallRepository>,
    ],
  );
  const score = (text: string) =>
    modules.commit(`Score for ${text}`, { "score/main.tf": MODULE, "score/score.txt": `${text}\n` });
  return {
    served: { anthem: configuration.bare, lyrics: lyrics.bare, modules: modules.bare },
    configuration,
    score,
    withTitle: (title, modulesUrl) => ({ "main.tf": configurationOf(title, modulesUrl) }),
    async begin(text) {
      const verse = await lyrics.commit("A verse", { "verse.txt": `${VERSE}\n` });
      await configuration.addSubmodule("lyrics", "../lyrics.git", verse);
      await score(text);
    },
  };
}

const MODULE = `output "score" {
  value = trimspace(file("\${path.module}/score.txt"))
}
`;

/** Without a backend: the service keeps its state. */
function configurationOf(title: string, modulesUrl: string): string {
  return `variable "ticket" {
  type      = string
  sensitive = true
}

module "score" {
  source = "git::${modulesUrl}//score?ref=main"
}

resource "terraform_data" "anthem" {
  input = {
    title  = ${JSON.stringify(title)}
    verse  = trimspace(file("\${path.module}/lyrics/verse.txt"))
    score  = module.score.score
    ticket = sha256(var.ticket)
  }
}
`;
}
