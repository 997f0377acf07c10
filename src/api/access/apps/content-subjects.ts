/** What an app asks the operator for beside its own permissions, as the text that a request is stored under. */

/** A host to allow for a collection (`chainId:address`). */
export interface HostSubject {
  readonly pattern: string;
  readonly collection: string;
}

/** The display type that a collection's trait type should have. */
export interface DisplayTypeSubject {
  readonly collection: string;
  readonly traitType: string;
  readonly displayType: string;
}

export const hostSubject = ({ pattern, collection }: HostSubject): string => `${pattern} ${collection}`;

export function parseHostSubject(subject: string): HostSubject {
  const [pattern = "", collection = ""] = subject.split(" ");
  return { pattern, collection };
}

// The trait type stands last, because it may contain spaces.
export const displayTypeSubject = ({ collection, traitType, displayType }: DisplayTypeSubject): string =>
  `${displayType} ${collection} ${traitType}`;

export function parseDisplayTypeSubject(subject: string): DisplayTypeSubject {
  const [displayType = "", collection = "", ...rest] = subject.split(" ");
  return { displayType, collection, traitType: rest.join(" ") };
}
