/** The most characters of an app's name, whoever creates the app. */
export const APP_NAME_MAX = 100;
