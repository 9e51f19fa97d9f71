/** Who writes, for the log of changes. */
export interface Actor {
  readonly kind: 'token' | 'session' | 'guest' | 'command_line' | 'clock';
  /** The id of the token or session. */
  readonly id?: string;
  readonly user_id?: string;
  readonly request_id?: string;
  /** What names its request to those who go on with its trace; undefined where nothing is traced. */
  readonly traceparent?: string;
  /** Whether what is written is sample data, of which nobody gets email. */
  readonly is_sample?: boolean;
  /** Whether deleted rows are brought back, of which nobody is notified as of new ones. */
  readonly restores?: boolean;
  /** The import whose rows are written, of which nobody is notified one by one. */
  readonly imports?: string;
  /** The import whose rows are taken back. */
  readonly undoes?: string;
}

/** The setting of a transaction that names who writes to the triggers of the log of changes. */
export const actorSetting = (actor: Actor) => ({ name: 'premises.actor', value: JSON.stringify(actor) });
