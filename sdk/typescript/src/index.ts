/**
 * Gate your own functions: one wrapper, and a function waits for a person when it matters.
 *
 * Code that shares the process of an application shares its authority: an agent that can run code here
 * is the application.
 */
export type { Encoder } from "./arguments.js";
export { type Permission, type PermissionRequest, requestPermission } from "./asking.js";
export { CountersignError, Denied, NotReplayable, Pending, Unavailable } from "./errors.js";
export { type ConsentOptions, type Gated, type Risk, requiresConsent } from "./gate.js";
export { userInitiated } from "./gestures.js";
export { resumeParked, retry } from "./parked.js";
export {
  type ReducedRisk,
  type RiskReducer,
  listRiskReducers,
  reducesRiskFor,
} from "./reducers.js";
export { type Configuration, configure } from "./runtime.js";
export { type WorkflowRun, workflow } from "./workflows.js";
