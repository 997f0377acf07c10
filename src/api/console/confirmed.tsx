/** A button that asks first: the browser opens and closes its dialog without script. */

import type { PropsWithChildren } from "hono/jsx";
import { Button } from "../ui/parts.tsx";

interface ConfirmedProps {
  /** Unique on the page. */
  readonly id: string;
  /** The button that opens the dialog, for screen readers if several read the same. */
  readonly ask: string;
  readonly askNamed?: string;
  readonly question: string;
  /** Leaves everything as it is. */
  readonly keep: string;
  /** Does it. */
  readonly confirm: string;
  readonly confirmNamed?: string;
  readonly isSlim?: boolean;
  readonly action: string;
  /** Hidden fields of the form. */
  readonly fields?: Readonly<Record<string, string>>;
}

export const Confirmed = ({
  id,
  ask,
  askNamed,
  question,
  keep,
  confirm,
  confirmNamed,
  isSlim = false,
  action,
  fields = {},
  children,
}: PropsWithChildren<ConfirmedProps>) => (
  <>
    <button
      type="button"
      class={`button danger${isSlim ? " slim" : ""}`}
      popovertarget={id}
      aria-haspopup="dialog"
      aria-label={askNamed}
    >
      {ask}
    </button>
    <dialog id={id} popover="auto" class="dialog" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{question}</h2>
      {children}
      <div class="row">
        <button type="button" class="button" popovertarget={id} popovertargetaction="hide" autofocus>
          {keep}
        </button>
        <form method="post" action={action}>
          {Object.entries(fields).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <Button kind="danger" {...(confirmNamed !== undefined && { label: confirmNamed })}>
            {confirm}
          </Button>
        </form>
      </div>
    </dialog>
  </>
);
