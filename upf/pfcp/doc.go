// Package pfcp is the UP function's side of PFCP (3GPP TS 29.244, release 16):
// it keeps associations and sessions for any number of CP functions and gives
// a datapath the rules they ask for.
//
// Every request takes the same steps: pfcp.Parse, decode (no IE is read
// elsewhere), the procedure in the file of its name, answer. A session change is applied whole or not at all: it is
// made on a copy of the rules, validated, given to the datapath, and only then
// kept.
//
// What is not carried out is refused, with these exceptions, which are
// accepted and without effect: GBR (kept with the rules), Network Instance, 3GPP
// Interface Type, and BUFF when Config.Buffering
// says so.
//
// Not supported: session sets, message bundling,
// traffic endpoints, predefined rules, N9.
package pfcp
