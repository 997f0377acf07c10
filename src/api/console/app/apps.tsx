/** The apps of the signed-in user, and the form that creates one. */

import { Hono } from "hono";
import type { AppRow } from "../../access/apps/app-store.ts";
import { type ApiName, apiNames } from "../../http/key.ts";
import { Badge, Button, Card, Empty, Field, Title } from "../../ui/parts.tsx";
import { type ConsoleContext, type ConsoleEnv, formOf, goTo, type Site, signedIn } from "../env.ts";
import { render } from "../frame.tsx";
import { purposes } from "./purposes.ts";

const NAME_MAX = 60;
// The characters of names that people write; no control characters and no markup.
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._'’&()+-]*$/u;

function problemOf(name: string): string | undefined {
  if (name === "") return "An app needs a name.";
  if (name.length > NAME_MAX)
    return `A name has at most ${NAME_MAX} characters; this one has ${name.length}.`;
  if (!NAME.test(name))
    return "A name starts with a letter or a digit; letters, digits, spaces and . _ ' & ( ) + - may follow.";
  return undefined;
}

const AppCard = ({ site, app }: { site: Site; app: AppRow }) => (
  <section class="card" aria-label={app.name}>
    <h2>
      <a href={site.to(`/console/apps/${app.id}`)}>{app.name}</a>
    </h2>
    <div class="row">
      {app.apis.length === 0 && <Badge tone="warn">no API yet</Badge>}
      {app.apis.map((api) => (
        <Badge tone="good">{api}</Badge>
      ))}
      <Badge>{app.tier}</Badge>
    </div>
  </section>
);

export function appListPages(site: Site): Hono<ConsoleEnv> {
  async function list(c: ConsoleContext, sent?: { name: string; apis: readonly ApiName[]; error: string }) {
    const session = signedIn(c);
    // Apps created by the operator's CLI belong to no wallet; operators find them under Operator.
    const apps = session.address === null ? [] : await site.apps.list(session.address);
    return render(
      site,
      c,
      { title: "Apps", status: sent ? 400 : 200 },
      <>
        <Title hint="An app has a key, and access to the APIs that it uses.">Your apps</Title>
        {apps.length === 0 ? (
          <Empty>No apps yet. Create the first one below.</Empty>
        ) : (
          <div class="grid">
            {apps.map((app) => (
              <AppCard site={site} app={app} />
            ))}
          </div>
        )}
        <Card title="Create an app">
          <form method="post" action={site.to("/console/apps")} class="stack">
            <Field
              name="name"
              label="Name"
              hint="People will see this name; it can't be changed."
              required
              maxlength={NAME_MAX}
              autocomplete="off"
              value={sent?.name}
              error={sent?.error}
            />
            <fieldset class="field">
              <legend>APIs</legend>
              {apiNames.map((api) => {
                const isGranted = site.apps.autoApprove.has(api);
                return (
                  <label class="check">
                    <input
                      type="checkbox"
                      name={`api:${api}`}
                      value="yes"
                      checked={isGranted || (sent?.apis.includes(api) ?? false)}
                      disabled={isGranted}
                    />
                    <span>
                      <code class="nowrap">{api}</code>{" "}
                      <span class="soft">{`${purposes[api]}. ${isGranted ? "Granted at once." : "The operator approves it."}`}</span>
                    </span>
                  </label>
                );
              })}
            </fieldset>
            <div>
              <Button kind="primary">Create app</Button>
            </div>
          </form>
        </Card>
        <form method="post" action={site.to("/console/sign-out/everywhere")}>
          <Button isSlim>Sign out of every browser</Button>
        </form>
      </>,
    );
  }

  return new Hono<ConsoleEnv>()
    .get("/", (c) => list(c))
    .post("/apps", async (c) => {
      const session = signedIn(c);
      const form = await formOf(c);
      const name = (form.name ?? "").trim();
      const apis = apiNames.filter((api) => form[`api:${api}`] !== undefined);
      const problem = problemOf(name);
      if (problem) return list(c, { name, apis, error: problem });
      const creation = await site.apps.create(name, session.address, session.actor, apis);
      if (creation.kind === "name_taken")
        return list(c, { name, apis, error: `"${name}" is taken; choose another name.` });
      if (creation.kind === "too_many")
        return list(c, {
          name,
          apis,
          error: `A wallet has at most ${creation.max} apps. Ask the operator if you need more.`,
        });
      return goTo(site, c, `/console/apps/${creation.appId}`, "created");
    });
}
