import { FORM_TOKEN, newFormToken } from "../http/form-token.ts";

/** The hidden field of a form that creates something, so that it does so once. */
export const FormToken = () => <input type="hidden" name={FORM_TOKEN} value={newFormToken()} />;
