/** One account's settings, checked against its kind and with `${NAME}` replaced by what the environment has. */
export interface AccountSettings {
  readonly account: string;
  /** By the kind's own keys. */
  readonly values: Readonly<Record<string, string>>;
}
