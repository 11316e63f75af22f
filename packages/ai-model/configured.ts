import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createLanguageModel, type LanguageModel } from './language-model.ts';

/** The settings of a process that configure the model. */
export interface ModelSettings {
  readonly modelBaseUrl: string | undefined;
  readonly modelName: string | undefined;
  readonly modelApiKey: string | undefined;
  readonly modelInPrivateNetwork: boolean;
}

const maxResponseBytes = 1024 * 1024;

/** Creates a client for the configured model; undefined if none is configured. */
export function configuredModel(settings: ModelSettings, timeoutMs: number): LanguageModel | undefined {
  const { modelBaseUrl: baseUrl, modelName: name, modelApiKey: apiKey, modelInPrivateNetwork } = settings;
  if (!baseUrl || !name) return undefined;
  const policy = modelInPrivateNetwork && { policy: localDevelopmentTargets };
  const outbound = createOutbound({ timeoutMs, maxResponseBytes, ...policy });
  return createLanguageModel({ baseUrl, name, apiKey, outbound });
}
