// What a gated call rejects with instead of running. No message contains an argument: errors end up
// in logs, and arguments can be secrets.

export class CountersignError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

export interface DeniedFields {
  readonly note?: string | undefined;
  readonly rule?: string | undefined;
  readonly operationId?: string | undefined;
}

/**
 * The call was not allowed, and the function did not run. `reason` is Countersign's word for why
 * (`blocked`, `declined_before`, `expired` …), `note` is what the operator wrote, and `rule` names the
 * actions whose rule decided.
 */
export class Denied extends CountersignError {
  readonly note: string;
  readonly rule: string;
  readonly operationId: string | undefined;

  constructor(
    readonly reason: string,
    readonly sentence: string = "",
    fields: DeniedFields = {},
  ) {
    super(sentence || reason);
    this.note = fields.note ?? "";
    this.rule = fields.rule ?? "";
    this.operationId = fields.operationId;
  }
}

/** The call can be carried out only by the process that holds its arguments. */
export class NotReplayable extends Denied {
  constructor(operationId: string, why: string) {
    super("not_replayable", why, { operationId });
  }
}

/**
 * The operator is asked, and has not answered yet. The function did not run. If the answer is yes,
 * this process runs it with the same arguments; `retry(operationId)` runs it now, or returns what it
 * returned.
 */
export class Pending extends CountersignError {
  constructor(
    readonly operationId: string,
    readonly sentence: string = "",
  ) {
    super(sentence || `the operator is asked about ${operationId}`);
  }
}

/** No decision could be had, so the function did not run. */
export class Unavailable extends CountersignError {}

/** The daemon answered with an error instead of a decision. */
export class Refused extends CountersignError {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    remedy: string,
  ) {
    super(remedy ? `${message}; ${remedy}` : message);
  }
}
