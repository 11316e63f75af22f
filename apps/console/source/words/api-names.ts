import type {
  AdActionKind,
  AdActionState,
  AttributionModel,
  AuditResult,
  CauseKind,
  Channel,
  ConversionType,
  DeliveryStatus,
  Device,
  DifferenceKind,
  EntityLevel,
  ErasureReason,
  ErasureStatus,
  ExperimentKind,
  ExperimentState,
  ExportEventStatus,
  ExportRunStatus,
  FitState,
  FittedModel,
  figureCauses,
  HandoffReason,
  IdentifierKind,
  JourneyEventKind,
  MarketingChannel,
  OutcomeKind,
  OutcomeSource,
  PaymentAction,
  PaymentStatus,
  RefusedReason,
  Role,
  SampleConfidence,
  ScoreLayer,
  StageOutcome,
  TacticName,
  VisitorLinkSource,
  VisitType,
} from '@tributary/vocabulary';

/** Names of the API that people meet. A language other than English has a word for each; English has them from the name itself. */
export type ApiName =
  | AdActionKind
  | AdActionState
  | AttributionModel
  | AuditResult
  | CauseKind
  | Channel
  | ConversionType
  | DeliveryStatus
  | Device
  | DifferenceKind
  | EntityLevel
  | ErasureReason
  | ErasureStatus
  | ExperimentKind
  | ExperimentState
  | ExportEventStatus
  | ExportRunStatus
  | FitState
  | FittedModel
  | HandoffReason
  | IdentifierKind
  | JourneyEventKind
  | keyof typeof figureCauses
  | MarketingChannel
  | OutcomeKind
  | OutcomeSource
  | PaymentAction
  | PaymentStatus
  | RefusedReason
  | Role
  | SampleConfidence
  | ScoreLayer
  | StageOutcome
  | TacticName
  | VisitorLinkSource
  | VisitType;
