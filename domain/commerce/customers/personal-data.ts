import { eraseCustomers } from './erase.ts';
import type { PersonalData } from './erased-customer.ts';

export const personalData: PersonalData = {
  postgres: {
    customers: { erasure: 'deleted', words: 'A customer without a person takes the place.' },
    identifiers: { erasure: 'deleted', words: 'Each is remembered as a keyed hash.' },
    identity_conflicts: { erasure: 'deleted', words: 'Also where somebody else had the identifier.' },
    kept_apart: { erasure: 'deleted', words: 'Of whom somebody said that they are two people.' },
    merge_proposals: { erasure: 'deleted', words: 'Which two customers carry one identifier.' },
    merges: { erasure: 'deleted', words: 'Who was merged into whom.' },
    said_together: { erasure: 'deleted', words: 'Which two customers a message named.' },
    search_terms: { erasure: 'deleted', words: 'They follow the customer.' },
    tombstones: { erasure: 'hashed', words: 'Keyed hashes of what the person was known by.' },
  },
  erase: eraseCustomers,
};
