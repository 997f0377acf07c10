/** Ids in paths and forms. */

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether it is a UUID in lower case, as PostgreSQL and Node write them. */
export const isUuid = (text: string): boolean => UUID.test(text);
