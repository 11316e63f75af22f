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

/** API names that the interface shows. Other languages translate each; English derives the words from the name. */
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
