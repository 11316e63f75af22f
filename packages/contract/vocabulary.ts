import * as words from '@tributary/vocabulary';
import { z } from 'zod';
import { enumOf } from './primitives.ts';

/** The closed lists of packages/vocabulary as schemas: a schema and its type under one name. */

// ── Attribution and reports ─────────────────────────────────────────────────────────────────────────────────────────────────────

export const AttributionModel = enumOf(words.attributionModels);
export type AttributionModel = words.AttributionModel;
export const AttributionModelParameter = AttributionModel.default(words.defaultAttributionModel).describe(
  `How credit is shared out. Of a longer path the first touch and the last ${words.limits.path.touches - 1} take part.`,
);

export const Freshness = z.enum(words.freshnessStates);
export type Freshness = words.FreshnessState;

export const AlertKind = enumOf(words.alertKinds).describe(
  Object.entries(words.alertKinds)
    .map(([kind, meaning]) => `\`${kind}\`: ${meaning}`)
    .join(' '),
);
export type AlertKind = words.AlertKind;

export const EntityLevel = z.enum(words.entityLevels);
export type EntityLevel = words.EntityLevel;

export const LearningStage = z.enum(words.learningStages);
export type LearningStage = words.LearningStage;

export const ExplainedField = z.enum(words.explainedFields);
export type ExplainedField = words.ExplainedField;

export const Device = z.enum(words.devices);
export type Device = words.Device;

// ── Conversions ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const RevenueType = z.enum(words.revenueTypes);
export type RevenueType = words.RevenueType;

export const ConversionType = enumOf(words.conversionTypes);
export type ConversionType = words.ConversionType;

/** A conversion type: a built-in one or one of a definition. */
export const ConversionKey = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9_]*$/, 'must be small letters, digits and _, starting with a letter');

export const ActionSource = z.enum(words.actionSources);
export type ActionSource = words.ActionSource;

export const ClickIdKind = enumOf(words.clickIdKinds);
export type ClickIdKind = words.ClickIdKind;

export const DeclaredSourceAnswer = z.enum(words.declaredSourceAnswers);
export type DeclaredSourceAnswer = words.DeclaredSourceAnswer;

// ── People ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const PrivacyMode = z.enum(words.privacyModes);
export type PrivacyMode = words.PrivacyMode;

export const IdentifierType = z.enum(words.identifierTypes);
export type IdentifierType = words.IdentifierType;

export const IdentifierKind = enumOf(words.identifierKinds);
export type IdentifierKind = words.IdentifierKind;

export const ErasureStatus = z.enum(words.erasureStatuses);
export type ErasureStatus = words.ErasureStatus;

export const ErasureReason = z.enum(words.erasureReasons);
export type ErasureReason = words.ErasureReason;

// ── Providers and connections ───────────────────────────────────────────────────────────────────────────────────────────────────

export const Channel = enumOf(words.channels);
export type Channel = words.Channel;

export const HandoffProvider = z.enum(words.handoffProviders);
export type HandoffProvider = words.HandoffProvider;

export const PaymentProvider = z.enum(words.paymentProviders);
export type PaymentProvider = words.PaymentProvider;

export const OutcomeProvider = z.enum(words.outcomeProviders);
export type OutcomeProvider = words.OutcomeProvider;

export const ConnectionStatus = z.enum(words.connectionStatuses);
export type ConnectionStatus = words.ConnectionStatus;

export const OutcomeSource = z.enum(words.outcomeSources);
export type OutcomeSource = words.OutcomeSource;

export const SyncState = z.enum(words.syncStates);
export type SyncState = words.SyncState;

export const HandoffStatus = z.enum(words.handoffStatuses);
export type HandoffStatus = words.HandoffStatus;

export const BounceStatus = z.enum(words.bounceStatuses);
export type BounceStatus = words.BounceStatus;

export const HandoffReason = enumOf(words.handoffReasons);
export type HandoffReason = words.HandoffReason;

export const PaymentStatus = z.enum(words.paymentStatuses);
export type PaymentStatus = words.PaymentStatus;

export const PaymentActionName = z.enum(words.paymentActions);
export type PaymentActionName = words.PaymentAction;

export const MatchEvidence = enumOf(words.matchEvidence).describe(
  Object.entries(words.matchEvidence)
    .map(([evidence, meaning]) => `\`${evidence}\`: ${meaning}`)
    .join(' '),
);
export type MatchEvidence = words.MatchEvidence;

export const MatchState = z.enum(words.matchStates);
export type MatchState = words.MatchState;

export const MatchDecision = z.enum(words.matchDecisions);
export type MatchDecision = words.MatchDecision;

export const OverlapDecision = z.enum(words.overlapDecisions);
export type OverlapDecision = words.OverlapDecision;

export const OverlapEffect = z.enum(words.overlapEffects);
export type OverlapEffect = words.OverlapEffect;

export const RefundKind = z.enum(words.refundKinds);
export type RefundKind = words.RefundKind;

export const RefundStatus = z.enum(words.refundStatuses);
export type RefundStatus = words.RefundStatus;

export const PaymentFilter = z.enum(words.paymentFilters);
export type PaymentFilter = words.PaymentFilter;

// ── Top performers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const ScoreWindow = z.enum(words.scoreWindows);
export type ScoreWindow = words.ScoreWindow;
export const ScoreWindowParameter = ScoreWindow.default(words.defaultScoreWindow);

export const Objective = z.enum(words.objectives);
export type Objective = words.Objective;

export const CreativeFormat = enumOf(words.creativeFormats);
export type CreativeFormat = words.CreativeFormat;

export const TruthGrade = z.enum(words.truthGrades);
export type TruthGrade = words.TruthGrade;

export const OutcomeKind = z.enum(words.outcomeKinds);
export type OutcomeKind = words.OutcomeKind;

export const MaturityStage = z.enum(words.maturityStages);
export type MaturityStage = words.MaturityStage;

export const ScoreSource = z.enum(words.scoreSources);
export type ScoreSource = words.ScoreSource;

/** A boolean in a query. */
export const Flag = z.enum(words.flagWords);
