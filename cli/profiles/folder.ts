import envPaths from "env-paths";

/** Where this person's profiles are, as their system has it. */
export function profileFolder(env: NodeJS.ProcessEnv): string {
  return env.DEPLOY_CONFIG_DIR || envPaths("deploy", { suffix: "" }).config;
}
