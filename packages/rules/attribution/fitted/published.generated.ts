// Written by `npm run bench -- models`.
export const publishedErrors = {
  "measured_on": "2026-11-17",
  "people_of_a_market": 120000,
  "rows": [
    {
      "model": "last_touch",
      "chosen": 1.45,
      "unseen": 1.41,
      "to_last_touch": 1,
      "worst_to_last_touch": 1
    },
    {
      "model": "first_touch",
      "chosen": 0.76,
      "unseen": 0.71,
      "to_last_touch": 0.5,
      "worst_to_last_touch": 0.56
    },
    {
      "model": "last_non_direct",
      "chosen": 1.6,
      "unseen": 1.59,
      "to_last_touch": 1.14,
      "worst_to_last_touch": 1.28
    },
    {
      "model": "linear",
      "chosen": 1.09,
      "unseen": 1.06,
      "to_last_touch": 0.75,
      "worst_to_last_touch": 0.78
    },
    {
      "model": "time_decay",
      "chosen": 1.12,
      "unseen": 1.09,
      "to_last_touch": 0.77,
      "worst_to_last_touch": 0.79
    },
    {
      "model": "position_based",
      "chosen": 1.07,
      "unseen": 1.04,
      "to_last_touch": 0.74,
      "worst_to_last_touch": 0.76
    },
    {
      "model": "data_driven",
      "chosen": 0.71,
      "unseen": 0.66,
      "to_last_touch": 0.47,
      "worst_to_last_touch": 0.51
    },
    {
      "model": "markov",
      "chosen": 1.2,
      "unseen": 1.17,
      "to_last_touch": 0.83,
      "worst_to_last_touch": 0.86
    },
    {
      "model": "shapley",
      "chosen": 0.98,
      "unseen": 0.95,
      "to_last_touch": 0.68,
      "worst_to_last_touch": 0.72
    },
    {
      "model": "calibrated",
      "chosen": 0.42,
      "unseen": 0.36,
      "to_last_touch": 0.27,
      "worst_to_last_touch": 0.57
    }
  ]
} as const;
