/** The texts of the console's Requests tab, in English. */

import { many } from "../plural.ts";

export const consoleRequests = {
  requests: {
    title: (app: string) => `Requests of ${app}`,
    byStatus: "Requests by status",
    hint: "All keys of the app, all APIs and replicas. Updates live.",
    period: "Period",
    ranges: { "24h": "24 hours", "7d": "7 days", "30d": "30 days" },
    last: (range: string) => `Last ${range}`,
    noneIn: (range: string) => `No requests in the last ${range}.`,
    summary: (total: number, text: string, failed: string, percentage: string) =>
      `${many(total, "request", "requests", text)}, ${failed} of them refused or failed (${percentage} %).`,
    /** How a request ended. */
    outcomes: {
      answered: "Answered",
      refused: "Refused (4xx)",
      limited: "Over the limit (429)",
      failed: "Failed (5xx)",
    },
    outcomeCount: (outcome: string, count: string) => `${outcome}: ${count}`,
    chart: (range: string, count: string) =>
      `Requests of the last ${range}: ${count}. The table below has the numbers.`,
    showTable: "Show as a table",
    tableCaption: (range: string) => `Requests by status, last ${range}`,
    noneInTable: "No requests.",
    from: "From (UTC)",
    log: "Last requests",
    logHint: (shown: number, kept: number, days: number) =>
      `The newest ${shown}, or the newest ${shown} that contain a text, of up to ${kept} kept for ${days} days. Under heavy load, not every request is kept.`,
    search: "Search",
    searchHint: "An id, path, status, code or error",
    showAll: "Show all",
    noMatch: "No request on record contains this text.",
    none: "No requests yet.",
    columns: { time: "Time", request: "Request", status: "Status", error: "Error" },
  },
};
