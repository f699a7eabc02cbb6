/** Pages with which an organization is set up: for who may change all of it, and for who may only read. */
import { expect } from "vitest";
import { accessibilityFindings } from "../../bench/console/accessibility.ts";
import { type Configured, configureOrg } from "../support/consoleSetUp.ts";
import { consoleTest } from "../support/consoleTest.ts";
import { takePictures } from "../support/pictures.ts";
import { expectCalm } from "../support/webBrowser.ts";

const test = consoleTest().extend("configured", { scope: "file" }, ({ world }) => configureOrg(world));

type Page = {
  name: string;
  path: (configured: Configured) => string;
  /** Not below the organization, and for who may do everything everywhere. */
  isOfInstallation?: true;
  /** What is on it once it is whole. */
  shown: RegExp;
  /** Buttons that only who may change things has. */
  offers: readonly RegExp[];
  /** What a viewer meets instead of it. */
  viewer?: RegExp;
};

const PAGES: readonly Page[] = [
  {
    name: "runners",
    path: ({ group }) => `/runners?group=${group}`,
    shown: /Coordinator/,
    offers: [/New group/, /Rotate key/, /Settings/],
  },
  {
    name: "members",
    path: ({ viewer }) => `/people?id=${viewer}`,
    shown: /Came by/,
    offers: [/Add a member/, /Remove/, /Give/],
  },
  { name: "invitations", path: () => "/people?tab=invitations", shown: /grace/, offers: [/Invite/, /Take/] },
  {
    name: "roles",
    path: ({ role }) => `/people?tab=roles&id=${role}`,
    shown: /named network-\*/,
    offers: [/New role/, /Change/, /Delete/],
  },
  {
    name: "service accounts",
    path: ({ account }) => `/people?tab=accounts&id=${account}`,
    shown: /nightly/,
    offers: [/New service account/, /New token/, /Disable/, /Delete/],
  },
  {
    name: "sign-in",
    path: ({ source }) => `/people?tab=sign-in&id=${source}`,
    shown: /id\.acme\.example/,
    offers: [/New source/, /Test/, /New rule/, /New binding/],
  },
  {
    name: "domains",
    path: () => "/people?tab=domains",
    shown: /Set this TXT record/,
    offers: [/Prove a name/, /Look now/],
    viewer: /Not allowed/,
  },
  { name: "audit", path: () => "/audit", shown: /role\.create/, offers: [], viewer: /Not allowed/ },
  {
    name: "notifications",
    path: ({ chat }) => `/notifications?integration=${chat}`,
    shown: /The target answered 503/,
    offers: [/New integration/, /Send a sample/, /Settings/, /Retry/],
  },
  {
    name: "code hosts",
    path: ({ host }) => `/code-hosts?integration=${host}`,
    shown: /The repository could not be read/,
    offers: [/New integration/, /Test/, /Settings/, /Retry/],
  },
  {
    name: "contexts",
    path: ({ context }) => `/contexts?context=${context}`,
    shown: /secret, never shown/,
    offers: [/New context/, /Change/, /Delete/],
  },
  { name: "clouds", path: () => "/stacks/network-prod/settings", shown: /No cloud/, offers: [] },
  { name: "settings", path: () => "/settings", shown: /^payments$/, offers: [/Change/, /Change the keys/, /New rule/] },
  {
    name: "organizations",
    isOfInstallation: true,
    path: () => "/admin",
    shown: /Acme/,
    offers: [/New organization/, /Compute anew/],
    viewer: /This is for super-admins/,
  },
  {
    name: "people of the installation",
    isOfInstallation: true,
    path: ({ viewer }) => `/admin?tab=people&id=${viewer}`,
    shown: /Tokens of service accounts/,
    offers: [/Disable/, /Sign out everywhere/],
    viewer: /This is for super-admins/,
  },
  {
    name: "audit of the installation",
    isOfInstallation: true,
    path: () => "/admin?tab=audit",
    shown: /Newest first/,
    offers: [],
    viewer: /This is for super-admins/,
  },
];

const addressOf = ({ path, isOfInstallation }: Page, org: string, configured: Configured) =>
  (isOfInstallation ? "" : `/orgs/${org}`) + path(configured);

test.for(PAGES)("$name, as who may change it", async (shownPage, { open, world, configured }) => {
  const { name, shown, offers, isOfInstallation } = shownPage;
  const user = isOfInstallation ? configured.operator : world.user;
  const window = await open(addressOf(shownPage, world.org, configured), { signedIn: user });
  const { page } = window;
  await page.getByText(shown).first().waitFor();
  for (const offer of offers) await page.getByRole("button", { name: offer }).first().waitFor();
  await takePictures(page, name);
  expect(await accessibilityFindings(page)).toEqual([]);
  expectCalm(window);
});

test.for(PAGES)("$name, as who may only read", async (shownPage, { open, world, configured }) => {
  const { shown, offers, viewer } = shownPage;
  const window = await open(addressOf(shownPage, world.org, configured), { signedIn: configured.viewer });
  const { page } = window;
  await page
    .getByText(viewer ?? shown)
    .first()
    .waitFor();
  for (const offer of offers) expect(await page.getByRole("button", { name: offer }).count()).toBe(0);
  expect(await accessibilityFindings(page)).toEqual([]);
  expectCalm(window, /status of 403/);
});

test("a runner group is made, its key shown once, and the group deleted", async ({ open, world: { org } }) => {
  const window = await open(`/orgs/${org}/runners`);
  const { page } = window;
  await page.getByRole("button", { name: "New group" }).click();
  await page.getByLabel("Name", { exact: true }).fill("us-1");
  await page.getByLabel("Labels").fill("region=us");
  await page.getByRole("button", { name: "Make the group" }).click();
  await page
    .getByRole("region", { name: "private key" })
    .getByText(/BEGIN PRIVATE KEY/)
    .waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("heading", { name: "us-1", exact: true }).waitFor();
  expect(await page.getByText(/BEGIN PRIVATE KEY/).count()).toBe(0);
  await page.getByRole("button", { name: "Delete" }).click();
  const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete the group" });
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByLabel("Type us-1 to go on").fill("us-1");
  await confirm.click();
  await page.getByRole("heading", { name: "us-1", exact: true }).waitFor({ state: "detached" });
  expectCalm(window);
});

test("a role is made in the editor of grants, and given to a service account with a token that is shown once", async ({
  open,
  world: { org },
}) => {
  const window = await open(`/orgs/${org}/people?tab=roles&dialog=new`);
  const { page } = window;
  await page.getByLabel("Name", { exact: true }).fill("deployer of dns");
  const first = page.getByRole("group", { name: "Permission 1" });
  await first.getByLabel("May").selectOption("deploy");
  await first.getByLabel("Which").selectOption("pattern");
  await first.getByLabel("Name, * for any text").fill("dns-*");
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Make the role" }).click();
  await page.getByText("named dns-*").waitFor();
  await page.getByRole("link", { name: "Service accounts" }).click();
  const current = page.getByRole("navigation", { name: "People" }).locator("[aria-current=page]");
  await current.filter({ hasText: "Service accounts" }).waitFor();
  expect(await current.count()).toBe(1);
  await page.getByRole("button", { name: "New service account" }).click();
  await page.getByLabel("Name", { exact: true }).fill("dns bot");
  await page.getByLabel("deployer of dns").check();
  await page.getByRole("button", { name: "Make the account" }).click();
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByLabel("Name", { exact: true }).fill("ci");
  await page.getByRole("button", { name: "Make the token" }).click();
  await page.getByRole("region", { name: "token" }).getByText(/^svc_/).waitFor();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByText(/^svc_/).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Take away deployer of dns" }).click();
  await page.getByText("No role of its own").waitFor();
  expectCalm(window);
});

test("what is wrong with a form stands at its field", async ({ open, world: { org } }) => {
  const window = await open(`/orgs/${org}/people?tab=domains&dialog=prove`);
  const { page } = window;
  await page.getByLabel("Name", { exact: true }).fill("no domain");
  await page.getByRole("button", { name: "Go on" }).click();
  const field = page.getByLabel("Name", { exact: true });
  await page.getByRole("dialog").getByRole("alert").waitFor();
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  expectCalm(window, /status of 422/);
});

test("a context keeps a secret that is not typed again, and never shows it", async ({ open, world, configured }) => {
  const window = await open(`/orgs/${world.org}/contexts?context=${configured.context}&dialog=edit`);
  const { page } = window;
  await page.getByPlaceholder("stays as it is").waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByLabel("Value of variable 1").fill("eu-north-1");
  await page.getByRole("button", { name: "Another variable" }).click();
  await page.getByLabel("Name of variable 3").fill("TF_LOG");
  await page.getByLabel("Value of variable 3").fill("info");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("cell", { name: "eu-north-1" }).waitFor();
  const { body } = await world.api.call("GET", `/api/v1/orgs/${world.org}/contexts/${configured.context}`, {
    user: world.user,
  });
  expect(body.variables).toEqual([
    { name: "AWS_REGION", value: "eu-north-1", secret: false },
    { name: "DATADOG_API_KEY", secret: true },
    { name: "TF_LOG", value: "info", secret: false },
  ]);
  expectCalm(window);
});

test("an integration that tells a chat is made, and its address never shown", async ({ open, world: { org } }) => {
  const window = await open(`/orgs/${org}/notifications?dialog=new`);
  const { page } = window;
  await page.getByLabel("Name", { exact: true }).fill("on call");
  await page.getByLabel("Address", { exact: true }).fill("https://chat.example/secret-path");
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Make the integration" }).click();
  await page.getByRole("heading", { name: "on call" }).waitFor();
  expect(await page.getByText("secret-path").count()).toBe(0);
  await page.getByRole("button", { name: "Settings" }).click();
  expect(await page.getByLabel("Another address").inputValue()).toBe("");
  expectCalm(window);
});

test("an integration that mails through a server of its own is made, and its password never shown", async ({
  open,
  world: { api, org, user },
}) => {
  const window = await open(`/orgs/${org}/notifications?dialog=new`);
  const { page } = window;
  await page.getByLabel("Name", { exact: true }).fill("by mail");
  await page.getByLabel("Form").selectOption("email");
  await page.getByLabel("Recipients").fill("ada@acme.example\nops@acme.example");
  await page.getByLabel("Through a mail server of our own").check();
  await page.getByLabel("Server", { exact: true }).fill("smtp.acme.example");
  await page.getByLabel("Sender").fill("deploy@acme.example");
  await page.getByLabel("User name").fill("deploy");
  await page.getByLabel("Password").fill("not-a-real-password");
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Make the integration" }).click();
  await page.getByRole("heading", { name: "by mail" }).waitFor();
  await page.getByText("smtp.acme.example:587, as deploy, from deploy@acme.example").waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  expect(await page.getByLabel("Password").inputValue()).toBe("");
  const { body } = await api.call("GET", `/api/v1/orgs/${org}/notification-integrations?sort=name`, { user });
  expect(body.items).toContainEqual(
    expect.objectContaining({
      ...{ name: "by mail", provider_type: "email" },
      provider_config: { recipients: ["ada@acme.example", "ops@acme.example"] },
    }),
  );
  expectCalm(window);
});

test("a code host is made with a token and a webhook secret, and settings of it say what is stored", async ({
  open,
  world: { org },
}) => {
  const window = await open(`/orgs/${org}/code-hosts?dialog=new`);
  const { page } = window;
  await page.getByLabel("Name", { exact: true }).fill("other host");
  await page.getByLabel("Repositories").fill("^https://other\\.example/");
  await page.getByLabel("Kind of host").selectOption("gitea");
  await page.getByLabel("Address of its API").fill("https://other.example/api/v1");
  // It has no apps, so that a token is what is left.
  expect(await page.getByLabel("Credentials").inputValue()).toBe("token");
  await page.getByLabel("Token").fill("not-a-real-token");
  await page.getByRole("button", { name: "Make a secret" }).click();
  expect(await page.getByRole("textbox", { name: "Webhook secret" }).inputValue()).toHaveLength(32);
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Make the integration" }).click();
  await page.getByRole("heading", { name: "other host" }).waitFor();
  await page.getByText("a stored token").waitFor();
  await page.getByText("Gitea or Forgejo").waitFor();
  await page.getByText("It has no apps").waitFor();
  expectCalm(window);
});

test("settings of the organization are changed, and only what differs is sent", async ({
  open,
  world: { api, org, user },
}) => {
  const window = await open(`/orgs/${org}/settings?dialog=organization`);
  const { page } = window;
  expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  expect(await page.getByLabel("Members at most").count()).toBe(0);
  await page.getByLabel("Handle").fill("acme");
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByText("acme", { exact: true }).first().waitFor();
  expect((await api.call("GET", `/api/v1/orgs/${org}`, { user })).body).toMatchObject({
    name: "Acme",
    login_handle: "acme",
  });
  expectCalm(window);
});

test("a super-admin disables a person and lets them in again", async ({ open, world: { api }, configured }) => {
  const { user } = await api.makeUser();
  const window = await open(`/admin?tab=people&id=${encodeURIComponent(user)}`, { signedIn: configured.operator });
  const { page } = window;
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("button", { name: "Disable" }).waitFor();
  expectCalm(window);
});

test("the audit log is filtered by its address, and the export has the same filters", async ({
  open,
  world: { org, user },
  configured,
}) => {
  const window = await open(`/orgs/${org}/audit?action=role.create&actor=${encodeURIComponent(user)}`);
  const { page } = window;
  const entries = page.getByRole("list", { name: "Entries" }).getByRole("listitem");
  await entries.getByRole("link", { name: configured.role }).waitFor();
  expect(new Set(await entries.locator("code").first().allTextContents())).toEqual(new Set(["role.create"]));
  const address = (await page.getByRole("link", { name: "Export" }).getAttribute("href")) ?? "";
  const exported = await page.evaluate((url) => fetch(url).then((answer) => answer.text()), address);
  const actions = exported
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).action);
  expect(new Set(actions)).toEqual(new Set(["role.create"]));
  expectCalm(window);
});
