/** The apps of the signed-in user, and the form that creates one. */

import { Hono } from "hono";
import type { AppRow } from "../../access/apps/app-store.ts";
import { APP_NAME_MAX } from "../../access/rules.ts";
import { type ApiName, apiNames } from "../../http/api-names.ts";
import { FORM_TOKEN } from "../../http/form-token.ts";
import { Badge, Button, Card, Empty, Field, Title } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { type ConsoleContext, type ConsoleEnv, formOf, goTo, type Site, signedIn } from "../env.ts";
import { FormToken } from "../form-token.tsx";
import { render } from "../frame.tsx";
import { operatorPath } from "../operator/operator-frame.tsx";

// The characters of names that people write; no control characters and no markup.
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._'’&()+-]*$/u;
// A command reads with a key of an operator's app that is called like the command: no wallet may have that app.
const OF_COMMANDS = /^npx /i;

function problemOf(name: string): string | undefined {
  const text = words().consoleApp.apps;
  if (name === "") return text.noName;
  if (name.length > APP_NAME_MAX) return text.nameTooLong(APP_NAME_MAX, name.length);
  if (!NAME.test(name)) return text.nameRule;
  if (OF_COMMANDS.test(name)) return text.commandName;
  return undefined;
}

const AppCard = ({ site, app }: { site: Site; app: AppRow }) => (
  <section class="card" aria-label={app.name}>
    <h2>
      <a href={site.to(`/console/apps/${app.id}`)}>{app.name}</a>
    </h2>
    <div class="row">
      {app.apis.length === 0 && <Badge tone="warn">{words().consoleApp.apps.noApi}</Badge>}
      {app.apis.map((api) => (
        <Badge tone="good">{api}</Badge>
      ))}
      <Badge>{app.tier}</Badge>
    </div>
  </section>
);

export function appListPages(site: Site): Hono<ConsoleEnv> {
  async function list(c: ConsoleContext, sent?: { name: string; apis: readonly ApiName[]; error: string }) {
    const { apps: text, purposes } = words().consoleApp;
    const session = signedIn(c);
    // Operators have no wallet, and their apps belong to all of them.
    const apps = session.address === null ? [] : await site.apps.list(session.address);
    return render(
      site,
      c,
      { title: text.title, status: sent ? 400 : 200 },
      <>
        <Title hint={text.hint}>{text.yours}</Title>
        {session.address === null ? (
          <Empty>
            {text.ofOperators} <a href={site.to(operatorPath("/apps"))}>{words().operator.apps.title}</a>
          </Empty>
        ) : apps.length === 0 ? (
          <Empty>{text.none}</Empty>
        ) : (
          <div class="grid">
            {apps.map((app) => (
              <AppCard site={site} app={app} />
            ))}
          </div>
        )}
        <Card title={text.create}>
          <form method="post" action={site.to("/console/apps")} class="stack">
            <FormToken />
            <Field
              name="name"
              label={text.name}
              hint={text.nameHint}
              required
              maxlength={APP_NAME_MAX}
              autocomplete="off"
              value={sent?.name}
              error={sent?.error}
            />
            <fieldset class="field">
              <legend>{text.apis}</legend>
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
                      <span class="soft">
                        {isGranted ? text.atOnce(purposes[api]) : text.byApproval(purposes[api])}
                      </span>
                    </span>
                  </label>
                );
              })}
            </fieldset>
            <div>
              <Button kind="primary">{text.submit}</Button>
            </div>
          </form>
        </Card>
        <form method="post" action={site.to("/console/sign-out/everywhere")}>
          <Button isSlim>{text.signOutEverywhere}</Button>
        </form>
      </>,
    );
  }

  return new Hono<ConsoleEnv>()
    .get("/", (c) => list(c))
    .post("/apps", async (c) => {
      const session = signedIn(c);
      const form = await formOf(c);
      const text = words().consoleApp.apps;
      const name = (form.name ?? "").trim();
      const apis = apiNames.filter((api) => form[`api:${api}`] !== undefined);
      const problem = problemOf(name);
      if (problem) return list(c, { name, apis, error: problem });
      const { address: owner, isOperator: isByOperator } = session;
      const asked = { name, owner, isByOperator, asked: apis };
      const creation = await site.apps.create(asked, session.actor, form[FORM_TOKEN]);
      if (creation.kind === "name_taken") return list(c, { name, apis, error: text.nameTaken(name) });
      if (creation.kind === "too_many")
        return list(c, {
          name,
          apis,
          error: text.tooMany(creation.max),
        });
      return goTo(site, c, `/console/apps/${creation.appId}`, "created");
    });
}
