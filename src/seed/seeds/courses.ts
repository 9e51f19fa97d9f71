import type { TrainingStatus } from '../../database/generated/client/client.ts';
import type { Person } from '../people.ts';
import { amira, david, elena, grace, ingrid, jonas, kofi, nora, priya, samuel, tomas, victor } from '../people.ts';

/** A question with its correct answer first; without others, the answer is free text. */
export type Question = readonly [text: string, answer: string, ...others: string[]];

/** A training program of the demo company. */
interface Course {
  title: string;
  description: string;
  trainingType: string;
  durationMinutes: number;
  passingScore: number | null;
  isMandatory: boolean;
  status?: TrainingStatus;
  questions: readonly Question[];
  /** Completions: the user, days ago, and the score. */
  taken: readonly (readonly [who: Person, days: number, score: number | null])[];
}

/** The training programs, oldest first. */
export const courses: readonly Course[] = [
  {
    title: 'Fire safety',
    description: 'What to do, and what not to do, when the alarm sounds',
    trainingType: 'safety',
    durationMinutes: 45,
    passingScore: 80,
    isMandatory: true,
    questions: [
      ['Where does everybody of Harbour House meet?', 'On the quay', 'In the canteen', 'In the car park'],
      ['Which way out is never taken?', 'The elevator', 'The stairs', 'The loading dock'],
      ['Whom does a warden report to?', 'The fire brigade', 'The reception', 'Nobody'],
    ],
    taken: [
      [nora, 150, 100],
      [kofi, 149, 100],
      [victor, 148, 90],
      [tomas, 140, 85],
      [ingrid, 139, 95],
      [samuel, 138, 60],
      [samuel, 121, 90],
      [elena, 96, 80],
      [david, 95, 75],
      [grace, 40, 100],
      [jonas, 12, 95],
    ],
  },
  {
    title: 'Forklift, yearly refresher',
    description: 'In theory and in the yard',
    trainingType: 'machines',
    durationMinutes: 120,
    passingScore: 70,
    isMandatory: false,
    questions: [
      ['What is the load limit of the electric forklift?', '1.6 tonnes', '1 tonne', '2.5 tonnes'],
      ['How are the forks left when it is parked?', 'Flat on the ground', 'Raised by a hand', 'Tilted back'],
    ],
    taken: [
      [samuel, 110, 88],
      [priya, 108, 72],
      [kofi, 60, 65],
    ],
  },
  {
    title: 'Working in the laboratory',
    description: 'Fume hoods, waste, spills',
    trainingType: 'safety',
    durationMinutes: 60,
    passingScore: 75,
    isMandatory: false,
    questions: [
      [
        'How high is the sash when somebody works at the hood?',
        'At the green mark',
        'Fully open',
        'It does not matter',
      ],
      ['What is never poured down the sink?', 'Agar', 'Water', 'Soap'],
      ['How long is an eye rinsed?', '15 minutes', '1 minute', 'Until it stops hurting'],
    ],
    taken: [
      [jonas, 130, 100],
      [tomas, 102, 78],
      [ingrid, 101, 92],
      [grace, 33, 50],
    ],
  },
  {
    title: 'Welcome to Larkfield',
    description: 'A walk through all buildings, for those who are new',
    trainingType: 'onboarding',
    durationMinutes: 90,
    passingScore: null,
    isMandatory: true,
    questions: [['Which building did you like best, and why?', 'Any']],
    taken: [
      [amira, 118, null],
      [grace, 117, null],
      [david, 116, null],
    ],
  },
  {
    title: 'Phishing and passwords',
    description: 'With examples from our own inboxes',
    trainingType: 'it',
    durationMinutes: 25,
    passingScore: 80,
    isMandatory: true,
    questions: [
      ['Who may know your password?', 'Only you', 'Your manager', 'The help desk'],
      ['What do you do with a message that looks odd?', 'Report it', 'Answer it', 'Forward it to all'],
    ],
    taken: [
      [amira, 21, 90],
      [elena, 20, 70],
      [david, 18, 100],
      [nora, 6, 100],
      [elena, 3, 85],
    ],
  },
  {
    title: 'The old booking system',
    description: 'Replaced in spring',
    trainingType: 'it',
    durationMinutes: 30,
    passingScore: null,
    isMandatory: false,
    status: 'ARCHIVED',
    questions: [['Who releases a room that nobody came to?', 'The system', 'The reception']],
    taken: [[victor, 165, null]],
  },
];
