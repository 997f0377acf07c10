/** The form for a collection's information: what it holds, and how its fields become the API's. */

import type { Context } from "hono";
import type { PropsWithChildren } from "hono/jsx";
import type { InformationView } from "../../catalog/information/information-schema.ts";
import { informationBody } from "../../catalog/module.ts";
import { detailsOf, type ErrorDetail } from "../../http/errors.ts";
import { parseForm } from "../../http/form.ts";
import { Button, Field } from "../../ui/parts.tsx";

export const fields = {
  name: { label: "Name", hint: "At most 100 characters" },
  slug: { label: "Slug", hint: "For addresses: a-z, 0-9, - and _" },
  creator_name: { label: "Creator", hint: "At most 100 characters" },
  avatar: { label: "Avatar", hint: "An http or https link to an image" },
  banner: { label: "Banner", hint: "An http or https link to an image" },
  website: { label: "Website", hint: "An http or https link" },
  discord: { label: "Discord", hint: "An http or https link" },
  x: { label: "X", hint: "An http or https link" },
  show_at: { label: "Shown from", hint: "A time in UTC, such as 2026-01-31T12:00:00Z" },
  tradable_at: {
    label: "Tradable from",
    hint: "A time in UTC; until then no token is tradable. Empty opens trade immediately",
  },
} as const;
type FieldName = keyof typeof fields;
const fieldNames = Object.keys(fields) as FieldName[];
const DESCRIPTION_MAX = 1_000;

export interface FormGroup {
  readonly name: string;
  /** One trait type per line. */
  readonly traits: string;
}

export interface FormState {
  readonly values: Readonly<Record<FieldName | "description", string>>;
  readonly groups: readonly FormGroup[];
  /** `updated_at` of the record that is edited; empty for none. */
  readonly version: string;
}

/** Trait types with a line break, which a form of one per line can't hold. */
export const hasLineBreaks = (information: InformationView | null): boolean =>
  information?.trait_groups.some(({ traits }) => traits.some(({ name }) => /[\r\n]/.test(name))) ?? false;

export function stateOf(information: InformationView | null): FormState {
  const text = (name: FieldName | "description"): string => information?.[name] ?? "";
  return {
    values: Object.fromEntries(
      [...fieldNames, "description" as const].map((name) => [name, text(name)]),
    ) as FormState["values"],
    groups: (information?.trait_groups ?? []).map(({ name, traits }) => ({
      name,
      traits: traits.map((trait) => trait.name).join("\n"),
    })),
    version: information?.updated_at ?? "",
  };
}

/** The submitted form, without groups that hold nothing, and the button that sent it. */
export async function readForm(c: Context): Promise<{ state: FormState; action: string }> {
  const body = await parseForm(c, { all: true });
  const list = (name: string): string[] =>
    [body[name] ?? []].flat().filter((each): each is string => typeof each === "string");
  const first = (name: string): string => list(name)[0] ?? "";
  const traits = list("group_traits");
  return {
    state: {
      values: Object.fromEntries(
        [...fieldNames, "description" as const].map((name) => [name, first(name).replaceAll("\r\n", "\n")]),
      ) as FormState["values"],
      groups: list("group_name")
        .map((name, at) => ({ name, traits: (traits[at] ?? "").replaceAll("\r\n", "\n") }))
        .filter((group) => group.name.trim() !== "" || group.traits.trim() !== ""),
      version: first("version"),
    },
    action: first("do"),
  };
}

/** The groups after a button for them was pressed; undefined for a button that is none of those. */
export function changeGroups(groups: readonly FormGroup[], action: string): FormGroup[] | undefined {
  if (action === "add") return [...groups, { name: "", traits: "" }];
  const [verb, text = ""] = action.split(":");
  const at = Number(text);
  const group = groups[at];
  if (!group || !/^\d+$/.test(text))
    return verb === "up" || verb === "down" || verb === "remove" ? [...groups] : undefined;
  const others = groups.filter((_, index) => index !== at);
  if (verb === "remove") return others;
  if (verb === "up") return others.toSpliced(Math.max(0, at - 1), 0, group);
  return verb === "down" ? others.toSpliced(at + 1, 0, group) : undefined;
}

/** The record that the API would take, or everything that is wrong with it. */
export function parseState({ values, groups }: FormState) {
  const optional = Object.fromEntries(
    Object.entries(values).map(([name, text]) => [name, name === "name" ? text : text.trim() || null]),
  );
  const parsed = informationBody.safeParse({
    ...optional,
    trait_groups: groups.map(({ name, traits }) => ({
      name,
      traits: traits
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => ({ name: line })),
    })),
  });
  return parsed.success
    ? ({ kind: "valid", information: parsed.data } as const)
    : ({ kind: "invalid", details: detailsOf(parsed.error) } as const);
}

/** What is wrong with a field: each message of its path. */
const errorOf = (details: readonly ErrorDetail[], path: string): string | undefined =>
  details
    .filter(
      (detail) =>
        detail.path === path || detail.path.startsWith(`${path}.`) || detail.path.startsWith(`${path}[`),
    )
    .map(({ message }) => message)
    .join("; ") || undefined;

/** A button of the form, after which the browser shows the part of the page with this id. */
const Send = ({
  action,
  value,
  label,
  kind = "",
  at,
  children,
}: PropsWithChildren<{ action: string; value: string; label?: string; kind?: string; at: string }>) => (
  <button
    class={`button ${kind}`}
    type="submit"
    name="do"
    value={value}
    aria-label={label}
    formaction={`${action}#${at}`}
  >
    {children}
  </button>
);

const Group = ({
  action,
  group,
  at,
  error,
}: {
  action: string;
  group: FormGroup;
  at: number;
  error: string | undefined;
}) => {
  const id = `group-${at}`;
  const called = group.name || `group ${at + 1}`;
  return (
    <li class="group" data-group>
      <div class="row">
        <button type="button" class="button slim handle" data-handle hidden aria-label={`Drag ${called}`}>
          ⠿
        </button>
        <Send action={action} kind="slim" value={`up:${at}`} label={`Move ${called} up`} at="trait-groups">
          ↑
        </Send>
        <Send
          action={action}
          kind="slim"
          value={`down:${at}`}
          label={`Move ${called} down`}
          at="trait-groups"
        >
          ↓
        </Send>
        <Send
          action={action}
          kind="danger slim"
          value={`remove:${at}`}
          label={`Remove ${called}`}
          at="trait-groups"
        >
          Remove
        </Send>
      </div>
      <div class="field">
        <label for={`${id}-name`}>Group</label>
        <input
          id={`${id}-name`}
          type="text"
          name="group_name"
          value={group.name}
          autocomplete="off"
          aria-invalid={error ? "true" : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
        />
      </div>
      <div class="field">
        <label for={`${id}-traits`}>Trait types, one per line</label>
        <textarea
          id={`${id}-traits`}
          name="group_traits"
          rows={Math.min(8, group.traits.split("\n").length + 1)}
          spellcheck={false}
        >
          {group.traits}
        </textarea>
      </div>
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </li>
  );
};

export const InformationForm = ({
  action,
  state,
  details,
}: {
  action: string;
  state: FormState;
  details: readonly ErrorDetail[];
}) => {
  const descriptionError = errorOf(details, "description");
  return (
    <form method="post" action={action} class="stack" id="information-form">
      {/* What Enter in a field presses. */}
      <button class="visually-hidden" name="do" value="preview" tabindex={-1} type="submit">
        Preview
      </button>
      <input type="hidden" name="version" value={state.version} />
      {fieldNames.map((name) => (
        <Field
          name={name}
          label={fields[name].label}
          hint={fields[name].hint}
          value={state.values[name]}
          error={errorOf(details, name)}
          required={name === "name"}
          autocomplete="off"
        />
      ))}
      <div class="field">
        <label for="field-description">Description</label>
        <p class="soft small" id="field-description-hint">
          {`At most ${DESCRIPTION_MAX.toLocaleString("en-US")} characters`}
        </p>
        <textarea
          id="field-description"
          name="description"
          rows={5}
          aria-describedby={descriptionError ? "field-description-error" : "field-description-hint"}
          aria-invalid={descriptionError ? "true" : undefined}
        >
          {state.values.description}
        </textarea>
        {descriptionError && (
          <p class="error" id="field-description-error">
            {descriptionError}
          </p>
        )}
      </div>
      <fieldset class="field" id="trait-groups">
        <legend>Trait groups</legend>
        <p class="soft small">
          Categories of the token page, in this order. Drag a group by its handle, press an arrow key on the
          handle, or use the arrow buttons. Trait types in no group follow under Others.
        </p>
        <p id="groups-state" class="visually-hidden" role="status" />
        {state.groups.length > 0 && (
          <ol id="groups" class="groups">
            {state.groups.map((group, at) => (
              <Group action={action} group={group} at={at} error={errorOf(details, `trait_groups[${at}]`)} />
            ))}
          </ol>
        )}
        <div>
          <Send action={action} kind="slim" value="add" at="trait-groups">
            Add a group
          </Send>
        </div>
      </fieldset>
      <div class="row">
        <Send action={action} value="preview" at="preview">
          Preview
        </Send>
        <Button kind="primary" name="do" value="save">
          Save
        </Button>
      </div>
    </form>
  );
};
