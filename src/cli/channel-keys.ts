/** The key of settings files under which channels stand. */
export const CHANNELS_KEY = "channels";
