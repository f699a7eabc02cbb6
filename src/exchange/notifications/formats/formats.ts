/** The forms of a notification, by what its integration asks for. Pure. */
import type { Envelope } from "../envelope.ts";
import type { Message } from "../message.ts";
import type { ProviderType } from "../schema.ts";
import { chatMessage } from "./chatMessage.ts";
import { mailMessage } from "./mailMessage.ts";
import { slackMessage } from "./slackMessage.ts";
import { teamsMessage } from "./teamsMessage.ts";

const FORMATS: Record<ProviderType, (message: Message, envelope: Envelope) => object> = {
  webhook: (_message, envelope) => envelope,
  chat: chatMessage,
  slack: slackMessage,
  teams: teamsMessage,
  email: mailMessage,
};

/** The bytes that every attempt sends; of an e-mail, what its parts are made of. */
export function bodyOf(form: ProviderType, message: Message, envelope: Envelope): string {
  return JSON.stringify(FORMATS[form](message, envelope));
}
