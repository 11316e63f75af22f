// Written by `npm run bench -- models`.
export const publishedErrors = {
  "measured_on": "2026-11-16",
  "people_of_a_market": 30000,
  "rows": [
    {
      "model": "last_touch",
      "chosen": 1.48,
      "unseen": 0,
      "to_last_touch": 0,
      "worst_to_last_touch": 0
    },
    {
      "model": "first_touch",
      "chosen": 0.81,
      "unseen": 0,
      "to_last_touch": 0,
      "worst_to_last_touch": 0
    },
    {
      "model": "last_non_direct",
      "chosen": 1.64,
      "unseen": 0,
      "to_last_touch": 0,
      "worst_to_last_touch": 0
    },
    {
      "model": "linear",
      "chosen": 1.13,
      "unseen": 0,
      "to_last_touch": 0,
      "worst_to_last_touch": 0
    },
    {
      "model": "time_decay",
      "chosen": 1.16,
      "unseen": 0,
      "to_last_touch": 0,
      "worst_to_last_touch": 0
    },
    {
      "model": "position_based",
      "chosen": 1.11,
      "unseen": 0,
      "to_last_touch": 0,
      "worst_to_last_touch": 0
    },
    {
      "model": "data_driven",
      "chosen": 0.78,
      "unseen": 0,
      "to_last_touch": 0,
      "worst_to_last_touch": 0
    },
    {
      "model": "markov",
      "chosen": 1.24,
      "unseen": 0,
      "to_last_touch": 0,
      "worst_to_last_touch": 0
    },
    {
      "model": "shapley",
      "chosen": 1.02,
      "unseen": 0,
      "to_last_touch": 0,
      "worst_to_last_touch": 0
    },
    {
      "model": "calibrated",
      "chosen": 0.53,
      "unseen": 0,
      "to_last_touch": 0,
      "worst_to_last_touch": 0
    }
  ]
} as const;
