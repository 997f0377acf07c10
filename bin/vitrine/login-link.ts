/** `npx vitrine login-link`: signs in to the console with the operator's token. */

import type { Command } from "commander";
import type { Answer } from "./answers.ts";
import type { Tool } from "./tool.ts";

export function addLoginLinkCommand(program: Command, { connect, print, progress }: Tool): void {
  program
    .command("login-link")
    .description("create a link that signs in one browser to the console as the operator, once")
    .action(async () => {
      const link = await connect().call<Answer<"createLoginLink">>("POST", "/admin/login_links");
      print(link, [link.url], "the link was created, and couldn't be printed; create another one.");
      progress(`the link works once, until ${link.expires_at}`);
    });
}
