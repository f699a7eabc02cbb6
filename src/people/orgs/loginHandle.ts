/** By which people name their organization where they sign in. */
export const LOGIN_HANDLE = /^[a-z0-9][a-z0-9-]{1,62}$/;
export const LOGIN_HANDLE_RULE = "must be 2 to 63 of a-z, 0-9 and -, not starting with -";
