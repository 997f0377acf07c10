/** The parts that pages are built from. Each works with a keyboard and has a role for screen readers. */

import type { Child, PropsWithChildren } from "hono/jsx";
import type { To } from "./site.ts";
import { words } from "./visitor.ts";

export type Tone = "good" | "warn" | "bad" | "plain";

export const Title = ({ children, hint }: PropsWithChildren<{ hint?: Child }>) => (
  <div class="title">
    <div>
      <h1>{children}</h1>
      {hint && <p class="soft">{hint}</p>}
    </div>
  </div>
);

export const Card = ({ title, hint, children }: PropsWithChildren<{ title?: string; hint?: Child }>) => (
  <section class="card" aria-label={title}>
    {title && (
      <header>
        <h2>{title}</h2>
        {hint && <p class="soft">{hint}</p>}
      </header>
    )}
    {children}
  </section>
);

export const Badge = ({ tone = "plain", children }: PropsWithChildren<{ tone?: Tone }>) => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** Announced when it appears; problems immediately. */
export const Notice = ({ tone = "plain", children }: PropsWithChildren<{ tone?: Tone }>) => (
  <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : "status"}>
    {children}
  </div>
);

export const Empty = ({ children }: PropsWithChildren) => <p class="empty">{children}</p>;

export interface ButtonProps {
  readonly kind?: "primary" | "danger" | "plain";
  readonly isSlim?: boolean;
  readonly type?: "submit" | "button";
  readonly id?: string;
  readonly name?: string;
  readonly value?: string;
  readonly hidden?: boolean;
  /** Replaces the text for screen readers where several buttons on a page read the same. */
  readonly label?: string;
}

export const Button = ({
  kind = "plain",
  isSlim,
  label,
  children,
  ...rest
}: PropsWithChildren<ButtonProps>) => (
  <button class={`button ${kind}${isSlim ? " slim" : ""}`} aria-label={label} type="submit" {...rest}>
    {children}
  </button>
);

export interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** What is wrong with the submitted value. */
  readonly error?: string | undefined;
  readonly value?: string | undefined;
  readonly required?: boolean;
  readonly maxlength?: number;
  readonly autocomplete?: string;
  readonly options?: readonly { readonly value: string; readonly text: string }[];
}

export const Field = ({ name, label, hint, error, value, options, ...rest }: FieldProps) => {
  const id = `field-${name}`;
  const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  const shared = { id, name, "aria-describedby": notes, "aria-invalid": error ? "true" : undefined, ...rest };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && (
        <p class="soft small" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {options ? (
        <select {...shared}>
          {options.map((option) => (
            <option value={option.value} selected={option.value === value}>
              {option.text}
            </option>
          ))}
        </select>
      ) : (
        <input type="text" value={value} {...shared} />
      )}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
};

export interface Column {
  readonly head: string;
  readonly isNumber?: boolean;
}

/** On a phone, each row becomes a list of its cells with their headings. */
interface TableProps {
  caption: string;
  columns: readonly (Column | string)[];
  rows: readonly (readonly Child[])[];
  /** Shown instead of a table without rows. */
  empty?: string;
}

export const Table = ({ caption, columns, rows, empty }: TableProps) => {
  if (rows.length === 0 && empty !== undefined) return <Empty>{empty}</Empty>;
  const heads = columns.map((column) => (typeof column === "string" ? { head: column } : column));
  return (
    <div class="table">
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {heads.map(({ head, isNumber }: Column) => (
              <th scope="col" class={isNumber ? "number" : undefined}>
                {head || <span class="visually-hidden">{words().layout.actions}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell, at) => (
                <td
                  class={heads[at]?.isNumber ? "number" : undefined}
                  data-label={heads[at]?.head || undefined}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

export const Facts = ({ rows }: { rows: readonly (readonly [string, Child])[] }) => (
  <dl class="facts">
    {rows.map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
);

/** Links between the pages of one subject. */
export const Tabs = ({
  label,
  links,
  to,
}: {
  label: string;
  links: readonly { readonly href: string; readonly text: string; readonly isCurrent: boolean }[];
  to: To;
}) => (
  <nav class="tabs" aria-label={label}>
    <ul>
      {links.map(({ href, text, isCurrent }) => (
        <li>
          <a href={to(href)} aria-current={isCurrent ? "page" : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

/** A time in UTC, so that two people who compare notes see the same. */
export const When = ({ at }: { at: Date }) => (
  <time datetime={at.toISOString()}>{`${at.toISOString().slice(0, 16).replace("T", " ")} UTC`}</time>
);
