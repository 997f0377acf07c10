/** The Permissions tab: which APIs an app may use, and which collections' information it may write. */

import { Hono } from "hono";
import { z } from "zod";
import { type ContractRef, collectionKey } from "../../../domain/token-ref.ts";
import { shown } from "../../../invalid-value.ts";
import type { AppRow, RequestRow } from "../../access/apps/app-store.ts";
import { ALL_COLLECTIONS } from "../../access/module.ts";
import { apiNames } from "../../http/api-names.ts";
import { ApiError } from "../../http/errors.ts";
import { requireJson } from "../../http/router.ts";
import { Badge, Button, Card, Field, Table, When } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { Confirmed } from "../confirmed.tsx";
import {
  appOf,
  type ConsoleContext,
  type ConsoleEnv,
  formOf,
  goTo,
  operatorOnly,
  type Site,
  signedIn,
} from "../env.ts";
import { render } from "../frame.tsx";
import { subjectText, titleOf } from "../request-subject.ts";
import { jsonOf, messageBody, proofBody } from "../sign-in.tsx";
import { AppFrame, pathOf } from "./app-frame.tsx";
import { ContentRequests, conflictsOf } from "./content-requests.tsx";

const Ask = ({
  site,
  app,
  kind,
  subject,
  text,
}: {
  site: Site;
  app: AppRow;
  kind: string;
  subject: string;
  text: string;
}) => (
  <form method="post" action={site.to(`${pathOf(app, "/permissions")}/${kind}`)}>
    <input type="hidden" name="subject" value={subject} />
    <Button isSlim label={words().consoleApp.permissions.labelled(text, subject)}>
      {text}
    </Button>
  </form>
);

/** Takes a permission away, after a question: requests that need it are refused at once. */
const Withdrawal = ({
  site,
  app,
  kind,
  subject,
  name = subject,
  isKnown = true,
}: {
  site: Site;
  app: AppRow;
  kind: "api" | "collection";
  subject: string;
  /** As people call it. */
  name?: string;
  /** It is served, so that the app may ask for it again. */
  isKnown?: boolean;
}) => {
  const text = words().consoleApp.permissions;
  return (
    <Confirmed
      id={`withdraw-${kind}-${subject}`}
      ask={text.withdrawAsk}
      askNamed={text.labelled(text.withdrawAsk, name)}
      question={text.withdrawQuestion(name, app.name)}
      keep={text.withdrawKeep}
      confirm={text.withdraw}
      confirmNamed={text.labelled(text.withdraw, name)}
      isSlim
      action={site.to(`${pathOf(app, "/permissions")}/withdraw/${kind}`)}
      fields={{ subject }}
    >
      <p>{isKnown ? `${text.withdrawNote} ${text.withdrawAgain}` : text.withdrawNote}</p>
    </Confirmed>
  );
};

interface Props {
  readonly site: Site;
  readonly app: AppRow;
  readonly requests: readonly RequestRow[];
  readonly isOperator: boolean;
}

const isOpen = (requests: readonly RequestRow[], kind: string, subject: string): boolean =>
  requests.some((each) => each.decidedAt === null && each.kind === kind && each.subject === subject);

const Apis = ({ site, app, requests, isOperator }: Props) => {
  const { permissions: text, purposes } = words().consoleApp;
  return (
    <Card title={text.apis} hint={text.apisHint}>
      <Table
        caption={text.apis}
        columns={[text.columns.api, text.columns.for, text.columns.state, ""]}
        rows={apiNames.map((api) => {
          const isActive = app.apis.includes(api);
          const isAsked = isOpen(requests, "api", api);
          const state = isActive ? "active" : isAsked ? "requested" : "none";
          return [
            <code class="nowrap">{api}</code>,
            purposes[api],
            <Badge tone={isActive ? "good" : isAsked ? "warn" : "plain"}>{text.apiStates[state]}</Badge>,
            isActive
              ? isOperator && <Withdrawal site={site} app={app} kind="api" subject={api} />
              : !isAsked && (
                  <Ask site={site} app={app} kind="ask/api" subject={api} text={text.requestAccess} />
                ),
          ];
        })}
      />
    </Card>
  );
};

const Collections = ({ site, app, requests, isOperator }: Props) => {
  const text = words().consoleApp.permissions;
  const granted = app.collections ?? [ALL_COLLECTIONS];
  const shownName = (name: string): string | undefined =>
    name === ALL_COLLECTIONS ? text.everyCollection : titleOf(site, name);
  const isServed = (name: string): boolean =>
    site.collections.all.some((each) => collectionKey(each) === name);
  const free = site.collections.all
    .map(collectionKey)
    .filter((name) => app.collections && !granted.includes(name));
  const options = free.map((name) => ({
    value: name,
    text: [titleOf(site, name), name].filter(Boolean).join(", "),
  }));
  const path = pathOf(app, "/permissions");
  return (
    <Card title={text.collections} hint={text.collectionsHint}>
      <Table
        empty={text.noCollections}
        caption={text.collectionsCaption}
        columns={[text.collection, text.address, ""]}
        rows={granted.map((name) => [
          shownName(name) ?? <span class="soft">{text.unnamed}</span>,
          <code>{name}</code>,
          <div class="row">
            {isServed(name) && (
              <a
                class="button slim"
                href={site.to(`${pathOf(app, "/collections")}/${name.replace(":", "/")}`)}
              >
                {text.editInformation}
                <span class="visually-hidden">{text.editInformationOf(name)}</span>
              </a>
            )}
            {isOperator && (
              <Withdrawal
                site={site}
                app={app}
                kind="collection"
                subject={name}
                name={name === ALL_COLLECTIONS ? words().operator.everyCollection : (shownName(name) ?? name)}
                isKnown={isServed(name)}
              />
            )}
          </div>,
        ])}
      />
      {options.length > 0 && (
        <>
          <form
            id="prove"
            method="post"
            action={site.to(`${path}/prove`)}
            data-message={site.to(`${path}/prove/message`)}
            data-next={site.to(`${path}?done=proved`)}
            class="inline-form"
          >
            <Field name="collection" label={text.prove} hint={text.proveHint} options={options} />
            <Button kind="primary">{text.sign}</Button>
          </form>
          <p id="prove-state" class="soft" role="status" />
          <form method="post" action={site.to(`${path}/ask/collection`)} class="inline-form">
            <div class="field">
              <label for="ask-collection">{text.orAsk}</label>
              <select id="ask-collection" name="subject">
                {options.map((option) => (
                  <option value={option.value}>
                    {isOpen(requests, "collection", option.value) ? text.askedFor(option.text) : option.text}
                  </option>
                ))}
              </select>
            </div>
            <Button>{text.ask}</Button>
          </form>
        </>
      )}
    </Card>
  );
};

const RequestState = ({ request }: { request: RequestRow }) => {
  const text = words().consoleApp.permissions.requestStates;
  if (!request.decidedAt) return <Badge tone="warn">{text.pending}</Badge>;
  return request.isApproved ? (
    <Badge tone="good">{text.approved}</Badge>
  ) : (
    <Badge tone="bad">{text.refused}</Badge>
  );
};

const proveBody = proofBody.extend({ collection: z.string() });
const askBody = messageBody.extend({ collection: z.string() });

export function permissionPages(site: Site): Hono<ConsoleEnv> {
  const { apps, proof, sessions } = site;
  const at = "/apps/:app/permissions";

  function known(kind: "api" | "collection", subject = ""): string {
    const isKnown =
      kind === "api"
        ? apiNames.some((api) => api === subject)
        : site.collections.all.some((c) => collectionKey(c) === subject);
    if (isKnown) return subject;
    throw new ApiError("INVALID_REQUEST", [{ path: "subject", message: `is no ${kind} of this service` }]);
  }

  const statementOf = (app: AppRow, collection: string): string =>
    `Let the app ${app.id} write the information of the collection ${collection}.`;
  const purposeOf = (app: AppRow, collection: string): string => `prove ${app.id} ${collection}`;

  const ask = (kind: "api" | "collection") => async (c: ConsoleContext) => {
    const app = await appOf(site, c);
    const subject = known(kind, (await formOf(c)).subject);
    const outcome = await apps.ask(app.id, { kind, subject }, signedIn(c).actor);
    const done = outcome === "granted" ? "granted_at_once" : outcome;
    return goTo(site, c, pathOf(app, "/permissions"), done);
  };
  const withdraw = (kind: "api" | "collection") => async (c: ConsoleContext) => {
    const { actor } = operatorOnly(c);
    const app = await appOf(site, c);
    const { subject = "" } = await formOf(c);
    const granted = kind === "api" ? app.apis : (app.collections ?? [ALL_COLLECTIONS]);
    if (!granted.includes(subject)) {
      const message = `${shown(subject)} is not a permission of this app`;
      throw new ApiError("INVALID_REQUEST", [{ path: "subject", message }]);
    }
    await apps.withdraw(app.id, { kind, subject }, actor);
    return goTo(site, c, pathOf(app, "/permissions"), "withdrawn");
  };

  return new Hono<ConsoleEnv>()
    .get(at, async (c) => {
      const text = words().consoleApp.permissions;
      const app = await appOf(site, c);
      const [requests, conflicts] = await Promise.all([apps.requestsOf(app.id), conflictsOf(site, app)]);
      const props = { site, app, requests, isOperator: signedIn(c).isOperator };
      return render(
        site,
        c,
        { title: text.title(app.name), scripts: [...site.walletScripts, "prove.js", "live.js"] },
        <AppFrame site={site} app={app} tab="/permissions">
          <div id="apis" data-live>
            <Apis {...props} />
          </div>
          <Collections {...props} />
          <ContentRequests site={site} app={app} requests={requests} conflicts={conflicts} />
          <div id="requests" data-live>
            {requests.length > 0 && (
              <Card title={text.requests}>
                <Table
                  caption={text.requestsCaption}
                  columns={[text.columns.for, text.asked, text.columns.state]}
                  rows={requests.map((request) => [
                    <code>{subjectText(request)}</code>,
                    <When at={request.createdAt} />,
                    <RequestState request={request} />,
                  ])}
                />
              </Card>
            )}
          </div>
        </AppFrame>,
      );
    })
    .post(`${at}/ask/api`, ask("api"))
    .post(`${at}/ask/collection`, ask("collection"))
    .post(`${at}/withdraw/api`, withdraw("api"))
    .post(`${at}/withdraw/collection`, withdraw("collection"))
    .post(`${at}/prove/message`, requireJson, async (c) => {
      const app = await appOf(site, c);
      const { address, chainId, collection } = await jsonOf(c, askBody);
      const statement = statementOf(app, known("collection", collection));
      const message = await sessions.issueMessage(purposeOf(app, collection), (nonce) =>
        proof.message({ address, chainId, nonce, statement }),
      );
      return c.json({ message });
    })
    .post(`${at}/prove`, requireJson, async (c) => {
      const app = await appOf(site, c);
      const { collection, ...signed } = await jsonOf(c, proveBody);
      const at = parseName(known("collection", collection));
      const owner = await site.rateLimits.failures.attempt(c, async (beforeCost) => {
        const refused = (message: string): ApiError =>
          new ApiError("NOT_ALLOWED", [{ path: "signature", message }]);
        const verdict = await proof.verify(signed, statementOf(app, collection), at.chainId, beforeCost);
        if (verdict.kind === "refused") throw refused(verdict.reason);
        // First, so that a message is still good once a node that is away is back.
        const found = await proof.ownerOf(at);
        if (!found) throw refused("the contract names no owner; ask the operator");
        if (found !== verdict.address)
          throw refused(`the contract's owner is ${found}; the text was signed by ${verdict.address}`);
        if (!(await sessions.spendMessage(signed.message, verdict.nonce, purposeOf(app, collection))))
          throw refused("the message was used before, has expired, or is not the one that was issued");
        return found;
      });
      const how = { proof: "owner() signature", owner };
      await apps.grant(app.id, { kind: "collection", subject: collection }, signedIn(c).actor, how);
      return c.json({ proved: true });
    });
}

function parseName(name: string): ContractRef {
  const [chainId = "", address = ""] = name.split(":");
  return { chainId: Number(chainId), address };
}
