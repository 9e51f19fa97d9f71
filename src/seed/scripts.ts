import type { RequestPriority } from '../database/generated/client/client.ts';
import type { Category } from './people.ts';
import type { AreaName } from './places.ts';

/** The history of one demo request. `talk` alternates between the worker and the reporter. */
export interface Script {
  title: string;
  description: string;
  priority?: RequestPriority;
  talk: readonly string[];
}

/** A service request's script. */
export interface ServiceScript extends Script {
  category: Category;
  area: AreaName;
}

/** A move request's script. */
export interface MoveScript extends Script {
  from: string;
  to: string;
}

const service = (
  area: AreaName,
  category: Category,
  title: string,
  description: string,
  talk: string[],
  priority?: Script['priority'],
): ServiceScript => ({ area, category, title, description, talk, priority });

/** The demo's service requests, newest first. */
export const serviceScripts: readonly ServiceScript[] = [
  service(
    'Canteen',
    'Plumbing',
    'Dishwasher leaves a puddle',
    'Water runs out under the left dishwasher at the end of every cycle.',
    ['Please leave it switched off, I will be there after lunch.', 'Done, and there is a sign on it.'],
    'HIGH',
  ),
  service(
    'Alder room',
    'Meeting rooms',
    'Screen shows no picture',
    'The wall screen says "no signal" with every laptop we tried.',
    ['Could you try the cable marked B in the meantime?', 'B works, thank you. A is still dead.'],
  ),
  service(
    'Reception',
    'Access',
    'Turnstile 2 refuses valid badges',
    'About one badge in three is refused at the second turnstile; the first is fine.',
    [
      'The reader needs a new firmware, I have asked the maker.',
      'There is a queue every morning, can we leave it open until then?',
      'Yes. It is open from 8 to 10 with somebody standing by.',
    ],
    'HIGH',
  ),
  service(
    'Wet lab',
    'Safety',
    'Eye wash station fails its weekly test',
    'The flow on the station next to the fume hood is too weak to pass.',
    ['I have closed the bench until it is repaired.', 'Understood, we moved to bench 4.'],
    'URGENT',
  ),
  service(
    'Sales floor',
    'Electrical',
    'Lights flicker above the window desks',
    'Three ceiling panels flicker from about four in the afternoon.',
    [
      'Sounds like the drivers. I will bring three.',
      'Great, the people under them get headaches.',
      'Two are replaced, the third has to be ordered.',
    ],
  ),
  service(
    'Loading dock',
    'Electrical',
    'Dock door 3 stops half way',
    'The door goes up a metre and a half and stops. Pushing the button again lowers it.',
    ['The limit switch had slipped. Set and tested ten times.', 'It ran all day without trouble.'],
    'HIGH',
  ),
  service(
    'Gym',
    'Heating',
    'Showers only run cold',
    'Since yesterday morning there is no hot water in either changing room.',
    [
      'The mixing valve is stuck, a part is on its way.',
      'Any idea when?',
      'Tomorrow before ten.',
      'Hot water is back, thank you.',
    ],
    'HIGH',
  ),
  service(
    'Design studio',
    'Furniture',
    'Standing desk will not go down',
    'Desk 14 stays at its highest position and blinks E07.',
    ['E07 is overheating, the motor needs a reset. Hold "down" for ten seconds.', 'That worked!'],
    'LOW',
  ),
  service(
    'Server room',
    'Heating',
    'Temperature alarm at night',
    'The room reached 29 degrees twice this week, both times around three in the morning.',
    [
      'The second cooling unit did not start. I switched it to manual.',
      'We see 22 degrees since then.',
      'Control board replaced, back on automatic.',
      'Three quiet nights. Thank you.',
    ],
    'URGENT',
  ),
  service(
    'Accounts',
    'Heating',
    'Radiator stays cold',
    'The radiator under the window has been cold since Monday, the others are fine.',
    ['The valve pin was stuck. Freed and bled.', 'Warm again.'],
  ),
  service(
    'Nursery',
    'Safety',
    'Socket cover is missing',
    'One of the child-proof covers by the reading corner has come off.',
    ['Replaced, and I checked all the others.'],
    'URGENT',
  ),
  service(
    'Training room',
    'Meeting rooms',
    'Projector image is yellow',
    'Everything looks yellow, also on the start screen.',
    [
      'The lamp has 4,100 hours. I have a spare.',
      'We have a course on Thursday, would be good to have it by then.',
      'Changed this morning.',
      'Looks like new.',
    ],
  ),
  service('Canteen', 'Cleaning', 'Coffee spilled on the carpet', 'A large stain next to the vending machines.', [
    'Treated twice, it needs to dry until tomorrow.',
    'Nothing to be seen any more!',
  ]),
  service(
    'Archive',
    'Safety',
    'Emergency exit light is out',
    'The sign above the rear door is dark.',
    ['Battery pack replaced, added to the monthly check.'],
    'HIGH',
  ),
  service(
    'Packing hall',
    'Heating',
    'Heater over line 2 rattles',
    'The hanging heater makes a loud rattling noise whenever it starts.',
    [
      'A fan blade had come loose. Tightened.',
      'Much better, but it still hums.',
      'The hum is the bearing. It will last until the service in spring.',
    ],
  ),
  service(
    'Board room',
    'Meeting rooms',
    'Microphones echo in calls',
    'Remote participants hear themselves a second later.',
    ['Two ceiling microphones were on at once. The preset is corrected.', 'The board meeting went without trouble.'],
  ),
  service(
    'Calibration bay',
    'Electrical',
    'More outlets at bench 6',
    'We need four more outlets for the new reference meter.',
    [
      'Circuit 12 has room for them. I will need half a day.',
      'Wednesday is best, the bench is free then.',
      'Done and measured; the certificate is in the folder.',
    ],
    'LOW',
  ),
  service('Post room', 'Furniture', 'Shelf is bending', 'The second shelf of the parcel rack bends in the middle.', [
    'I put a support under it. Please keep heavy parcels at the bottom.',
    'Will do.',
    'New rack is ordered as well.',
  ]),
  service(
    'Garden terrace',
    'Grounds',
    'Loose paving stone',
    'Near the steps. Somebody nearly fell this morning.',
    ['Cordoned off.', 'Thank you for being so quick.', 'Reset in mortar, may be walked on from Friday.'],
    'HIGH',
  ),
  service(
    'Birch room',
    'Heating',
    'Too warm in the afternoon',
    'The room reaches 27 degrees when more than six people meet.',
    [
      'The blinds did not close by themselves. Sensor cleaned.',
      'Still 26 yesterday.',
      'Airflow raised too, and the set point is 21 now.',
      'Today was pleasant.',
    ],
  ),
  service(
    'Cold store',
    'Heating',
    'Door seal is torn',
    'About 30 cm of the seal hang loose at the bottom left.',
    [
      'Taped for now. The seal has to be made to measure, two weeks.',
      'The temperature holds so far.',
      'Replaced. Draught test passed.',
    ],
    'HIGH',
  ),
  service(
    'Reception',
    'Furniture',
    'Visitor chair is broken',
    'One leg wobbles badly; we put the chair behind the desk.',
    ['Glued and clamped, back tomorrow.'],
    'LOW',
  ),
  service('Sales floor', 'Cleaning', 'Bins are not emptied at the east end', 'Three days running now.', [
    'The new team had an old floor plan. Sorry!',
    'All empty this morning.',
  ]),
  service(
    'Depot office',
    'Plumbing',
    'Tap drips in the kitchenette',
    'It can be heard across the office.',
    ['New washer fitted.'],
    'LOW',
  ),
  service(
    'Lecture hall',
    'Meeting rooms',
    'Lapel microphone cuts out',
    'Every few minutes, with fresh batteries too.',
    [
      'Its frequency collided with the theatre next door. Changed.',
      'Two lectures without a dropout.',
      'I also put a spare set in the cupboard.',
    ],
  ),
  service(
    'Reception',
    'Elevators',
    'Elevator B stops between floors',
    'It stopped for a minute between 2 and 3, then went on.',
    [
      'Out of service until the maker has seen it.',
      'People are asking how long.',
      'Technician comes tomorrow at nine.',
      'And?',
      'A door contact. Replaced, test run of two hours passed.',
    ],
    'URGENT',
  ),
  service('Wet lab', 'Plumbing', 'Sink drains slowly', 'The sink by the window takes minutes to empty.', [
    'Trap cleaned. Please do not pour agar down the sink.',
    'Noted, I told everybody.',
  ]),
  service('Clean room', 'Cleaning', 'Sticky mats are used up', 'The last pack is open, we have enough for two days.', [
    'Two boxes delivered.',
    'Could they come every month by default?',
    'Standing order made: ten packs on the first of the month.',
  ]),
  service(
    'Accounts',
    'Access',
    'New colleague needs access to floor 2',
    'Starts on the first; badge number 20418.',
    ['Programmed from the first, 7 to 20 h.'],
    'LOW',
  ),
  service('Design studio', 'Electrical', 'Dimmer hums', 'The dimmer for the photo corner hums at low levels.', [
    'It is not made for LED lamps. Ordered one that is.',
    'No hurry from our side.',
    'Replaced.',
    'Silent!',
  ]),
  service('Loading dock', 'Grounds', 'Pothole in front of bay 1', 'The forklift has to drive around it.', [
    'Filled with cold asphalt for the winter.',
    'Holds well so far.',
    'Proper repair is planned for April.',
  ]),
  service(
    'Gym',
    'Cleaning',
    'Mirror is smeared',
    "After last night's cleaning the big mirror has streaks all over.",
    ['Wrong cloth. Redone.'],
    'LOW',
  ),
  service(
    'Server room',
    'Access',
    'Door does not lock by itself',
    'It stays ajar unless it is pushed.',
    [
      'The closer was too weak. Adjusted.',
      'It slams now.',
      'Adjusted again, it should be gentle and still lock.',
      'Perfect.',
    ],
    'HIGH',
  ),
  service('Training room', 'Furniture', 'Ten more chairs for Tuesday', 'We expect 34 people, there are 24 chairs.', [
    'Ten from the lecture hall, there on Monday evening.',
    'Thank you!',
    'Chairs are back where they came from.',
  ]),
  service('Nursery', 'Plumbing', 'Small toilet is blocked', 'Probably a toy.', [
    'It was a dinosaur.',
    'He asks whether he may have it back.',
    'After a good wash: it is in the office.',
  ]),
  service(
    'Packing hall',
    'Electrical',
    'Conveyor trips its breaker',
    'Twice this morning when both lines start together.',
    [
      'Staggered the start by three seconds.',
      'No trips this week.',
      "I have put a soft starter on next year's budget.",
    ],
    'HIGH',
  ),
  service(
    'Alder room',
    'Furniture',
    'Whiteboard cannot be wiped clean',
    'Old writing stays visible.',
    ['Surface is worn out, a new board is ordered.', 'Nice to have, no more.', 'Mounted.'],
    'LOW',
  ),
  service(
    'Canteen',
    'Safety',
    'Fire blanket is past its date',
    'The label says it should have been replaced in March.',
    ['Replaced, and two more in the tea kitchens.', 'Thanks.'],
    'HIGH',
  ),
  service('Archive', 'Plumbing', 'Damp spot on the wall', 'About the size of a plate, behind rack 9.', [
    'Moved the rack and measured: it is condensation, no leak.',
    'Are the boxes at risk?',
    'Not there. A dehumidifier runs from today.',
    'The spot is gone.',
    'I take the dehumidifier away and measure again in a month.',
  ]),
  service(
    'Birch room',
    'Meeting rooms',
    'Booking panel shows the wrong day',
    'The panel at the door is one day behind.',
    ['Time server setting was lost. Corrected on all panels.'],
  ),
  service(
    'Board room',
    'Cleaning',
    "Windows before the investors' visit",
    'Inside and outside please, the visit is on the 14th.',
    ['Outside on the 12th if it does not rain, inside on the 13th.', 'They look great.'],
  ),
  service(
    'Post room',
    'Electrical',
    'Franking machine trips the socket',
    'The socket goes dead when the machine warms up.',
    ['The outlet was worn. Replaced, and the line measured.', 'Works.', 'Please keep the fan heater off that line.'],
  ),
  service(
    'Cold store',
    'Electrical',
    'One strip light is out',
    'Second row from the door.',
    ['Replaced with a cold-rated tube.'],
    'LOW',
  ),
  service('Garden terrace', 'Furniture', 'Parasol will not open', 'The cord of the large parasol has torn.', [
    'New cord, new pulley.',
    'Just in time for the sun.',
  ]),
  service(
    'Calibration bay',
    'Heating',
    'Temperature swings by two degrees',
    'We need 20 plus or minus 0.5 for the certificates.',
    [
      'Logger placed for 48 hours.',
      'Yesterday was especially bad.',
      'The controller fought the neighbouring zone. Both are tuned.',
      'Plus or minus 0.3 since Monday.',
      'The log is attached to the maintenance file.',
    ],
    'HIGH',
  ),
  service(
    'Lecture hall',
    'Safety',
    'Handrail is loose',
    'On the left stairs, third post from the top.',
    ['Two bolts had worked loose; secured with locking nuts.', 'Solid again.'],
    'URGENT',
  ),
  service('Depot office', 'Access', 'Alarm goes off when the cleaner arrives', 'Every Thursday at five.', [
    "The cleaner's code was limited to weekdays before holidays. Odd, but corrected.",
    'A quiet Thursday!',
    'Good.',
  ]),
  service(
    'Sales floor',
    'Furniture',
    'Two desks to be raised',
    'Both users are taller than 1.90 m.',
    ['Raised to 78 cm.', 'Thank you, that helps.'],
    'LOW',
  ),
  service('Reception', 'Cleaning', 'Salt stains on the entrance floor', 'From the winter service outside.', [
    'Machine-cleaned, and there is a longer mat.',
    'Much better.',
    'We repeat it weekly while there is frost.',
  ]),
  service(
    'Clean room',
    'Electrical',
    'Interlock lets both doors open',
    'The two doors of the air lock could be opened at once.',
    [
      'I have taken the lock out of use and put up a sign.',
      'We use the north entrance.',
      'A relay was welded shut. Replaced and tested with quality assurance.',
      'Signed off.',
    ],
    'URGENT',
  ),
  service(
    'Wet lab',
    'Heating',
    'Fume hood alarm',
    'Hood 2 reports low flow although the sash is down.',
    ['The sensor tube was clogged. Cleaned and calibrated.', 'Flow is normal.', 'Next check with the yearly one.'],
    'HIGH',
  ),
  service(
    'Accounts',
    'Furniture',
    'Drawer lock is stuck',
    'The key turns but the drawer stays locked, and the stamps are inside.',
    ['Opened, new lock fitted. Two keys are with you.', 'Saved our month end!'],
  ),
  service(
    'Design studio',
    'Cleaning',
    'Carpet tiles need replacing',
    'Six tiles by the plotter are beyond cleaning.',
    ['We have the same colour in store.', 'Please not on Friday, we have guests.', 'Laid on Thursday evening.'],
    'LOW',
  ),
  service('Loading dock', 'Safety', 'Wheel chock is missing', 'Bay 4 has only one.', [
    'A pair of new ones, on a chain this time.',
  ]),
  service('Gym', 'Electrical', 'Treadmill stops', 'The left one stops after ten minutes.', [
    'It is the belt: too dry. Lubricated.',
    'Ran for an hour today.',
    'Put on the quarterly list.',
  ]),
  service('Alder room', 'Heating', 'Draught from the ceiling', 'Cold air blows on the seats by the door.', [
    'Turned the diffuser.',
    'Now it blows on the other side.',
    'Throttled it. Please tell me whether it gets stuffy.',
    'All good.',
  ]),
  service(
    'Canteen',
    'Electrical',
    'Hot counter stays lukewarm',
    'The middle section does not get above 45 degrees.',
    [
      'An element is burnt out. Part comes on Tuesday.',
      'We use the other two meanwhile.',
      'Replaced, 70 degrees after ten minutes.',
    ],
    'HIGH',
  ),
  service('Archive', 'Access', 'Lost key', 'The key with the green tag has not been seen since the audit.', [
    'Cylinder changed. Three new keys, signed for.',
    'The old one turned up in a coat, of course.',
    'Of course.',
  ]),
  service(
    'Packing hall',
    'Cleaning',
    'Dust on the high beams',
    'It falls on the open boxes when the doors are opened.',
    ['Needs the lift: planned for Saturday.', 'Line 1 will be covered.', 'Done, four bags of it.'],
  ),
  service('Board room', 'Furniture', 'Table top is scratched', 'A long scratch at the head of the table.', [
    'Polished out. It was in the varnish only.',
    'Invisible. Thank you.',
  ]),
];

const move = (
  title: string,
  from: string,
  to: string,
  description: string,
  talk: string[],
  priority?: Script['priority'],
): MoveScript => ({ title, from, to, description, talk, priority });

/** The demo's move requests, newest first. */
export const moveScripts: readonly MoveScript[] = [
  move(
    'Sales trainees to the fourth floor',
    'Mill Annex, Training room',
    'Harbour House, Sales floor',
    'Six people with laptops and one plant each.',
    ['How many pedestals?', 'Six, they are labelled.'],
  ),
  move(
    'Spare monitors to the depot',
    'Harbour House, Accounts',
    'Northgate Depot, Depot office',
    'Twelve 24-inch monitors, boxed.',
    ['They go with the Thursday van.'],
    'LOW',
  ),
  move(
    'Reference meter to bench 6',
    'Linden Laboratory, Birch room',
    'Linden Laboratory, Calibration bay',
    'Delicate: 80 kg, must stay upright, and needs a day to settle.',
    ['We need the stair climber and two people.', 'One of us will walk along.'],
    'HIGH',
  ),
  move(
    'Accounts desk swap',
    'Harbour House, Accounts',
    'Harbour House, Accounts',
    'Desks 3 and 9 change places, with everything on them.',
    ['Friday after five?', 'Perfect.', 'Done, phones tested.'],
  ),
  move(
    'Design samples into the archive',
    'Mill Annex, Design studio',
    'Mill Annex, Archive',
    'Forty boxes, numbered, to rack 11.',
    ['Rack 11 is full, rack 12 is free.', 'Rack 12 it is.', 'All forty are in.'],
  ),
  move(
    'Lecture hall piano',
    'Orchard Pavilion, Lecture hall',
    'Orchard Pavilion, Garden terrace',
    'For the summer party, and back on Monday.',
    ['The movers want dry weather.', 'The forecast says so.', 'Out and back again, and tuned.'],
    'LOW',
  ),
  move(
    'New starter in the design studio',
    'Northgate Depot, Packing hall',
    'Mill Annex, Design studio',
    'One desk, one drawing board.',
    ['In place.', 'She is delighted.'],
  ),
  move(
    'Server rack to the new room',
    'Harbour House, Accounts',
    'Linden Laboratory, Server room',
    'One half-height rack. The network team switches it off at 18:00 and on at 22:00.',
    ['I have booked the lift for that evening.', 'All services are back at 21:40.', 'Empty crate goes back tomorrow.'],
    'URGENT',
  ),
  move(
    'Board papers to storage',
    'Harbour House, Board room',
    'Mill Annex, Archive',
    'Three locked cabinets. They stay locked.',
    ['Sealed and moved, seal numbers are in the file.', 'Thank you.'],
  ),
  move(
    'Gym equipment upstairs',
    'Orchard Pavilion, Gym',
    'Orchard Pavilion, Lecture hall',
    'Ten mats and the rack for the Wednesday class.',
    ['Carried up.'],
    'LOW',
  ),
  move(
    'Post room closer to the gate',
    'Mill Annex, Post room',
    'Northgate Depot, Loading dock',
    'The franking machine, two racks and the counter.',
    [
      'The counter does not fit through the door in one piece.',
      'Take the top off, please.',
      'Done, and reassembled.',
      'We open there on Monday.',
    ],
  ),
  move(
    'Incubators to the wet lab',
    'Linden Laboratory, Calibration bay',
    'Linden Laboratory, Wet lab',
    'Two incubators, switched off and decontaminated.',
    ['Certificate seen. Moving tomorrow.', 'They run.'],
    'HIGH',
  ),
  move(
    'Sales team to the window side',
    'Harbour House, Sales floor',
    'Harbour House, Sales floor',
    'Eight desks move ten metres.',
    [
      'Saturday, so that nobody has to stop working.',
      'Thank you, everything was in its place.',
      'Cable trays follow on Monday.',
    ],
  ),
  move(
    'Old chairs to recycling',
    'Mill Annex, Training room',
    'Northgate Depot, Loading dock',
    'Twenty-two chairs with worn covers.',
    ['Collected. The recycler took twenty, two are repaired.'],
    'LOW',
  ),
  move(
    'Nursery toys into the shed',
    'Orchard Pavilion, Nursery',
    'Orchard Pavilion, Garden terrace',
    'Everything with wheels, for the winter.',
    ['Stored and covered.', 'See you in spring.'],
  ),
];
