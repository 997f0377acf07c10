/** The page of the Permissions tab, as it is and after a form of it that is refused. */

import type { AppRow } from "../../access/apps/app-store.ts";
import { Card, Table, When } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { type ConsoleContext, type Site, signedIn } from "../env.ts";
import { render } from "../frame.tsx";
import { subjectText } from "../request-subject.ts";
import { AppFrame, pathOf } from "./app-frame.tsx";
import { ContentRequests, conflictsOf, type RefusedHost } from "./content-request-parts.tsx";
import { Apis, Collections, RequestState } from "./permission-parts.tsx";

export async function showPermissions(
  site: Site,
  c: ConsoleContext,
  app: AppRow,
  refusedHost?: RefusedHost,
): Promise<Response> {
  const text = words().consoleApp.permissions;
  const [requests, conflicts] = await Promise.all([site.apps.requestsOf(app.id), conflictsOf(site, app)]);
  const props = { site, app, requests, isOperator: signedIn(c).isOperator };
  return render(
    site,
    c,
    {
      title: text.title(app.name),
      scripts: [...site.walletScripts, "prove.js", "live.js"],
      ...(refusedHost && { status: 400, liveUrl: site.to(pathOf(app, "/permissions")) }),
    },
    <AppFrame site={site} app={app} tab="/permissions">
      <div id="apis" data-live>
        <Apis {...props} />
      </div>
      <Collections {...props} />
      <ContentRequests
        site={site}
        app={app}
        requests={requests}
        conflicts={conflicts}
        refusedHost={refusedHost}
      />
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
}
