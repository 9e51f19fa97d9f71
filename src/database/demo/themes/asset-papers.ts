/** Warranties: days from today. */
export const warranties = [
  { asset: 'Laptop LK-0244', warrantyType: 'manufacturer', starts: -38, ends: 1057, provider: 'Notebook Direct', coverage: 'Parts and labour, on site' },
  { asset: 'Laptop LK-0231', warrantyType: 'manufacturer', starts: -410, ends: 685, provider: 'Notebook Direct', coverage: 'Parts and labour' },
  { asset: 'Floor scrubber', warrantyType: 'manufacturer', starts: -620, ends: 110, provider: 'Swift Machines', coverage: 'All but brushes' },
  { asset: 'Pallet wrapper', warrantyType: 'extended', starts: -800, ends: 295, provider: 'Kraft & Coil Packaging', coverage: 'Drive and turntable' },
  { asset: 'Delivery bicycle', warrantyType: 'manufacturer', starts: -300, ends: 65, provider: 'Porter Cycles', coverage: 'Frame and motor' },
  { asset: 'Reference meter', warrantyType: 'extended', starts: -1300, ends: 525, provider: 'Precisa', coverage: 'Parts, and a loan while it is away' },
  { asset: 'Incubator 1', warrantyType: 'manufacturer', starts: -900, ends: -170, provider: 'Harrow Laboratory Supply', coverage: 'Parts' },
  { asset: 'Incubator 2', warrantyType: 'manufacturer', starts: -900, ends: -170, provider: 'Harrow Laboratory Supply', coverage: 'Parts' },
  { asset: 'Elevator A', warrantyType: 'service contract', starts: -340, ends: 390, provider: 'Meridian Lifts', coverage: 'Call-outs within four hours' },
  { asset: 'Elevator B', warrantyType: 'service contract', starts: -340, ends: 390, provider: 'Meridian Lifts', coverage: 'Call-outs within four hours' },
];

/** Papers about assets, entered that many days ago. */
export const papers = [
  { asset: 'Elevator A', days: 94, title: 'Inspection certificate', fileName: 'elevator-a-inspection.pdf', fileType: 'pdf', notes: 'Valid for a year' },
  { asset: 'Elevator B', days: 59, title: 'Repair report, door contact', fileName: 'elevator-b-door-contact.pdf', fileType: 'pdf', notes: null },
  { asset: 'Emergency generator', days: 150, title: 'Operating manual', fileName: 'dynamo-80-manual.pdf', fileType: 'pdf', notes: 'Chapter 4: what to do when it does not start' },
  { asset: 'Emergency generator', days: 28, title: 'Log of test runs', fileName: 'generator-log.xlsx', fileType: 'xlsx', notes: null },
  { asset: 'Reference meter', days: 62, title: 'Calibration certificate', fileName: 'p8508-0032-calibration.pdf', fileType: 'pdf', notes: 'Traceable, no deviation' },
  { asset: 'Fume hood 2', days: 109, title: 'Flow test record', fileName: 'hood-2-flow.docx', fileType: 'docx', notes: null },
  { asset: 'Forklift, electric', days: 159, title: 'Safety inspection', fileName: 'forklift-inspection.pdf', fileType: 'pdf', notes: null },
  { asset: 'Laptop LK-0244', days: 37, title: 'Invoice', fileName: 'notebook-invoice.pdf', fileType: 'pdf', notes: null },
  { asset: 'Projector', days: 43, title: 'Proof of recycling', fileName: 'projector-recycling.pdf', fileType: 'pdf', notes: 'Two lamps taken back too' },
];
