// Written by `npm run bench -- models`.
export const publishedErrors = {
  "measured_on": "2026-11-16",
  "people_of_a_market": 25000,
  "rows": [
    {
      "model": "last_touch",
      "chosen": 1.49,
      "unseen": 1.41,
      "to_last_touch": 1,
      "worst_to_last_touch": 1
    },
    {
      "model": "first_touch",
      "chosen": 0.82,
      "unseen": 0.75,
      "to_last_touch": 0.53,
      "worst_to_last_touch": 0.55
    },
    {
      "model": "last_non_direct",
      "chosen": 1.65,
      "unseen": 1.59,
      "to_last_touch": 1.13,
      "worst_to_last_touch": 1.29
    },
    {
      "model": "linear",
      "chosen": 1.14,
      "unseen": 1.07,
      "to_last_touch": 0.76,
      "worst_to_last_touch": 0.77
    },
    {
      "model": "time_decay",
      "chosen": 1.18,
      "unseen": 1.09,
      "to_last_touch": 0.77,
      "worst_to_last_touch": 0.79
    },
    {
      "model": "position_based",
      "chosen": 1.12,
      "unseen": 1.05,
      "to_last_touch": 0.74,
      "worst_to_last_touch": 0.76
    },
    {
      "model": "data_driven",
      "chosen": 0.79,
      "unseen": 0.68,
      "to_last_touch": 0.48,
      "worst_to_last_touch": 0.54
    },
    {
      "model": "markov",
      "chosen": 1.26,
      "unseen": 1.19,
      "to_last_touch": 0.84,
      "worst_to_last_touch": 0.87
    },
    {
      "model": "shapley",
      "chosen": 1.03,
      "unseen": 0.97,
      "to_last_touch": 0.68,
      "worst_to_last_touch": 0.7
    },
    {
      "model": "calibrated",
      "chosen": 0.54,
      "unseen": 0.49,
      "to_last_touch": 0.36,
      "worst_to_last_touch": 0.64
    }
  ]
} as const;
