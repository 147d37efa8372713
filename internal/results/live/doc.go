// Package live writes down how a run goes while it goes: one line of JSON for each thing
// that happened, and one a second of what is measured, into live.jsonl in the folder of the
// run. Whoever wants to watch reads that file; the run does not know who does.
package live
