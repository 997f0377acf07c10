/** The form for a collection's information: what it holds, and how its fields become the API's. */

import type { Context } from "hono";
import type { PropsWithChildren } from "hono/jsx";
import type { InformationView } from "../../catalog/information/information-schema.ts";
import { GROUPS_MAX, informationBody } from "../../catalog/module.ts";
import { ApiError, detailsOf, type ErrorDetail } from "../../http/errors.ts";
import { parseForm } from "../../http/form.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Button, Field } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";

const fieldNames = [
  "name",
  "slug",
  "creator_name",
  "avatar",
  "banner",
  "website",
  "discord",
  "x",
  "show_at",
  "tradable_at",
] as const;
type FieldName = (typeof fieldNames)[number];
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

/** Names or trait types with a line break: a field of one line, or a list of one per line, would lose it. */
export function hasLineBreaks(information: InformationView | null): boolean {
  if (information === null) return false;
  const { name, creator_name, trait_groups } = information;
  const groups = trait_groups.flatMap((group) => [group.name, ...group.traits.map((trait) => trait.name)]);
  return [name, creator_name ?? "", ...groups].some((text) => /[\r\n]/.test(text));
}

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

/**
 * The submitted form, without groups that hold nothing, and the button that sent it. Throws INVALID_REQUEST for more
 * groups than a collection may have: each becomes a kilobyte of the page that shows them again.
 */
export async function readForm(c: Context): Promise<{ state: FormState; action: string }> {
  const body = await parseForm(c, { all: true });
  const list = (name: string): string[] =>
    [body[name] ?? []].flat().filter((each): each is string => typeof each === "string");
  const first = (name: string): string => list(name)[0] ?? "";
  const traits = list("group_traits");
  const sent = list("group_name").map((name, at) => ({
    name,
    traits: (traits[at] ?? "").replaceAll("\r\n", "\n"),
  }));
  const groups = sent.filter(holdsSomething);
  if (groups.length > GROUPS_MAX) {
    const message = `has ${groups.length} groups; the limit is ${GROUPS_MAX}`;
    throw new ApiError("INVALID_REQUEST", [{ path: "trait_groups", message }]);
  }
  return {
    state: {
      values: Object.fromEntries(
        [...fieldNames, "description" as const].map((name) => [name, first(name).replaceAll("\r\n", "\n")]),
      ) as FormState["values"],
      groups,
      version: first("version"),
    },
    action: actionAmong(sent, first("do")),
  };
}

const holdsSomething = ({ name, traits }: FormGroup): boolean => name.trim() !== "" || traits.trim() !== "";

/** The button's action, which names a group by its place in the form, by its place among those that hold something. */
function actionAmong(sent: readonly FormGroup[], action: string): string {
  const [verb, text = ""] = action.split(":");
  const group = sent[Number(text)];
  if (text === "" || !group) return action;
  return holdsSomething(group)
    ? `${verb}:${sent.slice(0, Number(text)).filter(holdsSomething).length}`
    : `${verb}:none`;
}

/** The groups after a button for them was pressed; undefined for a button that is none of those. */
export function changeGroups(groups: readonly FormGroup[], action: string): FormGroup[] | undefined {
  if (action === "add") return [...groups, { name: "", traits: "" }].slice(0, GROUPS_MAX);
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
  const text = words().consoleApp.informationForm;
  const id = `group-${at}`;
  const called = group.name || text.groupNumber(at + 1);
  return (
    <li class="group" data-group>
      <div class="row">
        <button type="button" class="button slim handle" data-handle hidden aria-label={text.drag(called)}>
          ⠿
        </button>
        <Send action={action} kind="slim" value={`up:${at}`} label={text.up(called)} at="trait-groups">
          ↑
        </Send>
        <Send action={action} kind="slim" value={`down:${at}`} label={text.down(called)} at="trait-groups">
          ↓
        </Send>
        <Send
          action={action}
          kind="danger slim"
          value={`remove:${at}`}
          label={text.removeGroup(called)}
          at="trait-groups"
        >
          {text.remove}
        </Send>
      </div>
      <div class="field">
        <label for={`${id}-name`}>{text.group}</label>
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
        <label for={`${id}-traits`}>{text.traits}</label>
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
  const text = words().consoleApp.informationForm;
  const descriptionError = errorOf(details, "description");
  return (
    <form method="post" action={action} class="stack" id="information-form">
      {/* What Enter in a field presses. */}
      <button class="visually-hidden" name="do" value="preview" tabindex={-1} type="submit">
        {text.preview}
      </button>
      <input type="hidden" name="version" value={state.version} />
      {fieldNames.map((name) => (
        <Field
          name={name}
          label={text.fields[name].label}
          hint={text.fields[name].hint}
          value={state.values[name]}
          error={errorOf(details, name)}
          required={name === "name"}
          autocomplete="off"
        />
      ))}
      <div class="field">
        <label for="field-description">{text.description}</label>
        <p class="soft small" id="field-description-hint">
          {text.descriptionHint(formatNumber(DESCRIPTION_MAX))}
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
        <legend>{text.groups}</legend>
        <p class="soft small">{text.groupsHint}</p>
        <p id="groups-state" class="visually-hidden" role="status" />
        {state.groups.length > 0 && (
          <ol id="groups" class="groups">
            {state.groups.map((group, at) => (
              <Group action={action} group={group} at={at} error={errorOf(details, `trait_groups[${at}]`)} />
            ))}
          </ol>
        )}
        {state.groups.length < GROUPS_MAX && (
          <div>
            <Send action={action} kind="slim" value="add" at="trait-groups">
              {text.add}
            </Send>
          </div>
        )}
      </fieldset>
      <div class="row">
        <Send action={action} value="preview" at="preview">
          {text.preview}
        </Send>
        <Button kind="primary" name="do" value="save">
          {text.save}
        </Button>
      </div>
    </form>
  );
};
