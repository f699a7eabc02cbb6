/** How engines and people's configurations write a value: an own account of it, which knows nothing of the masker. */
import { one, type Random } from "./values.ts";

type Writing = (value: string, random: Random) => string;

const goJson = (value: string) =>
  JSON.stringify(value.toWellFormed()).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
/** Every sign beyond ASCII escaped, as other writers of JSON do. */
const asciiJson = (value: string) =>
  goJson(value).replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
/** As a quoted text of the engine's language. */
const hcl = (value: string) =>
  `"${value
    .replace(/[\\"]/g, (sign) => `\\${sign}`)
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t")
    .replace(/[$%](?=\{)/g, (sign) => sign + sign)}"`;
const base64 = (value: string) => Buffer.from(value).toString("base64");

/** What may be put around one another. */
export const ENCODINGS: Record<string, Writing> = {
  plain: (value) => value,
  json: goJson,
  jsonMember: (value) => `{"a":1,"login":${goJson(value)},"z":[]}`,
  asciiJson,
  hcl,
  yaml: (value) => `"a": "b"\n"login": ${goJson(value)}\n`,
  yamlSingle: (value) => `'${value.replaceAll("'", "''")}'`,
  url: (value) => encodeURIComponent(value.toWellFormed()),
  form: (value) => new URLSearchParams({ q: value }).toString(),
  base64,
  base64Inside: (value, random) =>
    base64(`${one(random, ["u:", "ab", "user: ", ""])}${value}${one(random, ["", "\n", "!"])}`),
  base64Twice: (value, random) => base64(`${one(random, ["", "x:"])}${base64(value)}`),
  base64url: (value) => Buffer.from(value).toString("base64url"),
  base64Lines: (value) => base64(value).replace(/.{76}/g, "$&\n"),
  html: (value) =>
    value.replace(/[<>&"']/g, (sign) => `&${{ "<": "lt", ">": "gt", "&": "amp", '"': "#34", "'": "#39" }[sign]};`),
};

const indented = (text: string, by: string) =>
  text
    .split("\n")
    .map((line) => by + line)
    .join("\n");

/** Where an engine prints it. */
export const PLACES: Record<string, Writing> = {
  bare: (text) => text,
  create: (text) => `  + resource "terraform_data" "x" {\n      + input  = ${hcl(text)}\n    }\n`,
  update: (text, random) => {
    const sides = [hcl(text), '"other"'];
    return `  ~ x = {\n      ~ input  = ${(random() < 0.5 ? sides : sides.reverse()).join(" -> ")} # forces replacement\n    }\n`;
  },
  heredoc: (text, random) =>
    `      ${one(random, ["+", "-", " "])} input = <<-EOT\n${indented(text, " ".repeat(12))}\n        EOT\n`,
  difference: (text) => `      ~ input = <<-EOT\n            kept\n${indented(text, "          + ")}\n        EOT\n`,
  jsonencode: (text) => `  + x = jsonencode(\n        {\n          + login = ${hcl(text)}\n        }\n    )\n`,
  output: (text) => `\nOutputs:\n\nlogin = ${hcl(text)}\n`,
  outputHeredoc: (text) => `\nOutputs:\n\nlogin = <<EOT\n${text}\nEOT\n`,
  outputJson: (text) => `{"login":{"sensitive":false,"type":"string","value":${goJson(text)}}}\n`,
  provisioner: (text) =>
    `terraform_data.x (local-exec): ${text.split("\n").join("\nterraform_data.x (local-exec): ")}\n`,
  diagnostic: (text) =>
    `╷\n│ Error: it failed\n│ \n${indented(wrapped(`the value ${text} is not one that anybody can use here`), "│ ")}\n╵\n`,
  uiLine: (text) => `{"@level":"info","@message":${goJson(`x: ${text}`)},"type":"apply_complete"}\n`,
  environment: (text) => `HOME=/x\nTF_VAR_login=${text}\nPATH=/bin\n`,
  quotedEnvironment: (text) => `declare -x A=${JSON.stringify(text).replaceAll("$", "\\$")}\n`,
  shellTrace: (text) => `+ echo '${text.replaceAll("'", "'\\''")}'\n`,
  gitUrl: (text) => `fatal: unable to access 'https://x:${text}@host.example/r.git/': refused\n`,
};

/** As engines break a text at blanks, 78 columns wide. */
function wrapped(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      let column = 0;
      return line.replace(/\s*\S+/g, (piece) => {
        if (column > 0 && column + piece.length > 78 && /^\s/.test(piece)) {
          column = piece.trimStart().length;
          return `\n${piece.trimStart()}`;
        }
        column += piece.length;
        return piece;
      });
    })
    .join("\n");
}
