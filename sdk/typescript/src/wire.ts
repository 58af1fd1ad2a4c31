// What travels between an application and the daemon. The names and types are those of
// `docs/openapi/agent.json`; a test compares the two.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface CallContext {
  parent?: string;
  gesture?: string;
}

export interface CheckRequest {
  session: string;
  tool: string;
  actions: string[];
  declares: string[];
  args: JsonObject;
  target?: string[];
  categories: string[];
  risk?: string;
  irreversible: boolean;
  reason: string;
  run?: string;
  step?: string;
  context?: CallContext;
}

export interface CheckResponse {
  status: "allowed" | "pending" | "denied" | "already_done";
  reason: string;
  sentence: string;
  operation_id?: string;
  note?: string;
  parent_token?: string;
}

export interface OperationResponse {
  operation_id: string;
  state: string;
}

export interface StoredCallResponse {
  operation_id: string;
  state: string;
  risk: string;
  tool: string | null;
  actions: string[];
  args: Json;
  redacted: boolean;
}

export interface ConsentResponse {
  operations: { operation_id: string; state: string }[];
}

export interface ApplicationView {
  agent: string;
  rights: { actions: string[]; gestures?: string[] };
  reducers: { caller: string; action: string; to: string }[];
}

export interface GestureResponse {
  gesture_id: string;
}

export interface StartRunResponse {
  run_id: string;
  status: string;
  reason: string;
  sentence: string;
  error?: string;
  note?: string;
}

export interface OwnRunView {
  run_id: string;
  state: string;
  sentence: string;
  error?: string;
  note?: string;
}

export interface AskAheadResponse {
  status: string;
  granted: boolean;
  scope_granted?: string;
  operator_note: string;
  grant_id: string;
  request_id: string | null;
}

export interface ErrorBody {
  error: { code: string; message: string; remedy: string };
}
