/** The texts of the console's Collections tab: a collection's information and its form, in English. */

export const consoleInformation = {
  collections: {
    title: (app: string) => `Collections of ${app}`,
    card: "Collections",
    hint: "Whose information this app may write",
    none: "None yet. Prove a collection on the Permissions tab first.",
    caption: "Collections",
    columns: { collection: "Collection", address: "Address", information: "Information" },
    noInformation: "none",
    edit: "Edit",
    unnamed: "Unnamed collection",
    informationOf: (collection: string) => `Information of ${collection}`,
    notSaved: (problems: string) => `Nothing is saved: ${problems}.`,
    information: "Information",
    notAllowed:
      "This app lacks the API market-partner, so nothing can be previewed or saved. Request it under Permissions.",
    lineBreaks:
      "A name or a trait type of this collection contains a line break, which this form can’t hold. Use PUT /market-partner/collections/…/information.",
    preview: "Preview",
    previewHint: "The head of the collection’s page, and the properties of one of its tokens",
    noPreview: "Give a name, and correct what is marked, to see the page.",
    changedSince:
      "Somebody else has changed this information since you opened it. Save again to replace theirs.",
  },
  informationForm: {
    fields: {
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
    },
    description: "Description",
    descriptionHint: (max: string) => `At most ${max} characters`,
    groups: "Trait groups",
    groupsHint:
      "Categories of the token page, in this order. Drag a group by its handle, press an arrow key on the handle, or use the arrow buttons. Trait types in no group follow under Others.",
    group: "Group",
    groupNumber: (number: number) => `group ${number}`,
    traits: "Trait types, one per line",
    drag: (group: string) => `Drag ${group}`,
    up: (group: string) => `Move ${group} up`,
    down: (group: string) => `Move ${group} down`,
    removeGroup: (group: string) => `Remove ${group}`,
    remove: "Remove",
    add: "Add a group",
    preview: "Preview",
    save: "Save",
  },
};
