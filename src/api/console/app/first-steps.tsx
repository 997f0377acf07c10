/** The checklist of an app until its first successful request, with a request to send. */

import type { AppRow, RequestRow } from "../../access/apps/app-store.ts";
import { withTimeout } from "../../async/timeout.ts";
import { apiNames } from "../../http/api-names.ts";
import { KEY_HEADER } from "../../http/key.ts";
import { Button, Card } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import type { Site } from "../env.ts";
import { pathOf } from "./app-frame.tsx";

// The first search of a large collection loads its search index; the page does not wait for that.
const SAMPLE_MS = 1_000;

export interface SampleToken {
  readonly address: string;
  readonly chainId: number;
  readonly tokenId: string;
}

/** A token that a first request can name: the first of the first collection. Undefined if there is none yet. */
export async function sampleTokenOf({ collections, search }: Site): Promise<SampleToken | undefined> {
  const [collection] = collections.all;
  if (!collection) return undefined;
  const page = await withTimeout(
    SAMPLE_MS,
    search.page(collection, {
      filter: { criteria: [], ranges: [] },
      sort: { by: "id", descending: false },
      limit: 1,
    }),
  );
  const tokenId = page?.tokenIds[0];
  return tokenId === undefined
    ? undefined
    : { address: collection.address, chainId: collection.chainId, tokenId };
}

interface FirstRequest {
  readonly title: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

/** A request that the app's permissions allow; undefined if it has none. */
function firstRequestOf(app: AppRow, sample: SampleToken | undefined): FirstRequest | undefined {
  const text = words().consoleApp.steps;
  if (app.apis.includes("market-partner") && sample)
    return {
      title: text.refreshToken,
      method: "POST",
      path: `/market-partner/collections/${sample.address}/refresh_metadata?chain_id=${sample.chainId}&wait=10`,
      body: JSON.stringify({ token_ids: [sample.tokenId] }),
    };
  if (app.apis.includes("market"))
    return { title: text.listCollections, method: "GET", path: "/market/collections" };
  return undefined;
}

const curl = ({ baseUrl }: Site, { path, body }: FirstRequest): string =>
  [
    `curl '${baseUrl}${path}'`,
    `-H '${KEY_HEADER}: <KEY>'`,
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${body}'`]),
  ].join(" ");

const isPending = (requests: readonly RequestRow[], api: string): boolean =>
  requests.some(({ kind, subject, decidedAt }) => kind === "api" && subject === api && decidedAt === null);

interface Props {
  readonly site: Site;
  readonly app: AppRow;
  readonly requests: readonly RequestRow[];
  readonly hasKey: boolean;
  readonly sample: SampleToken | undefined;
}

/** Both parts update live; the one with the button only when the request in it changes. */
export const FirstSteps = (props: Props) => (
  <>
    <div id="first-steps" data-live>
      {!props.app.firstSuccessAt && <Checklist {...props} />}
    </div>
    <div id="first-request" data-live>
      {!props.app.firstSuccessAt && <FirstRequest {...props} />}
    </div>
    {/* Outside what is replaced, so that it stays when the first answer completes the list. */}
    <div id="first-answer" class="card" hidden>
      <p role="status" />
      <pre class="answer" />
    </div>
  </>
);

const Step = ({ isDone, title, children }: { isDone: boolean; title: string; children?: unknown }) => (
  <li class={isDone ? "done" : undefined}>
    <strong>{title}</strong>{" "}
    <span class="visually-hidden">
      {isDone ? words().consoleApp.steps.done : words().consoleApp.steps.toDo}
    </span>
    {children as never}
  </li>
);

const Checklist = ({ site, app, requests, hasKey }: Props) => {
  const text = words().consoleApp.steps;
  const pending = apiNames.filter((api) => isPending(requests, api));
  const permissions = site.to(pathOf(app, "/permissions"));
  return (
    <Card title={text.title} hint={text.hint}>
      <ol class="checklist">
        <Step isDone={hasKey} title={text.key}>
          {!hasKey && <p class="soft">{text.noKey}</p>}
        </Step>
        <Step isDone={app.apis.length > 0} title={text.access}>
          {app.apis.length > 0 && <p class="soft">{text.granted(app.apis.join(", "))}</p>}
          {pending.length > 0 && <p class="soft">{text.waiting(pending.join(", "))}</p>}
          {app.apis.length === 0 && (
            <p>
              {pending.length === 0 && `${text.refused} `}
              <a href={permissions}>{pending.length === 0 ? text.requestAccess : text.seeRequest}</a>
            </p>
          )}
        </Step>
        <Step isDone={false} title={text.send} />
      </ol>
    </Card>
  );
};

const FirstRequest = ({ site, app, hasKey, sample }: Props) => {
  const request = hasKey ? firstRequestOf(app, sample) : undefined;
  if (!request) return null;
  return (
    <Card title={request.title} hint={words().consoleApp.steps.replaceKey}>
      <pre class="answer">
        <code>{curl(site, request)}</code>
      </pre>
      <div>
        {/* Script shows it: without script, the request above can be copied. */}
        <span
          hidden
          data-request={site.to(request.path)}
          data-method={request.method}
          data-body={request.body}
        >
          <Button type="button" kind="primary" id="send-request">
            {words().consoleApp.steps.sendRequest}
          </Button>
        </span>
      </div>
    </Card>
  );
};
