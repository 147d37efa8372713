// Package n4 is the UP function's side of PFCP (3GPP TS 29.244, release 17):
// it keeps associations and sessions for any number of CP functions and gives
// a datapath the rules they ask for.
//
// Every request takes the same steps: pfcp.Parse, request.Decode (no IE is read elsewhere), its procedure, answer. A
// session change is applied whole or not at all: it is made on a copy of the rules, validated, given to the datapath, and
// only then kept.
//
// Server has the socket, and wires the packages of its parts. Each imports only those above it:
//
//	tally        counters
//	request      IEs to values, or why they are refused
//	keys         which session has which TEID, UE address and tunnel
//	usage        what a URR has reported, and what is due
//	change       a request's values and a session's rules to new rules
//	hold         packets that wait for their FAR, and copies
//	association  associations, and the sessions of each
//	ask          the server's own requests, until they are answered
//	report       session and node reports, and when they are due
//	handed       packets that the datapath hands on
//	procedure    what a request does, to sessions and to nodes
//
// What a part keeps is behind a lock of its own; TestLockedTable of association holds the order of two of them.
//
// docs/reference/upf-pfcp.md lists every message and IE, what becomes of it, and the test that holds it. A test
// compares the lists below with it.
//
// Carried out: Session Set Deletion, PFD Management: flow descriptions, Traffic Endpoint ID, Framed-Route,
// SDF Filter ID, N9, Apply Action DUPL, Apply Action BUFF, Quota Holding Time, Linked URR ID, Monitoring Time,
// FAR ID for Quota Action, User Plane Inactivity Timer, Averaging Window, Paging Policy Indicator,
// Activate and Deactivate Predefined Rules, SMF Set ID, Alternative SMF IP Address,
// PFCP Session Retention Information.
//
// Kept without effect: Network Instance, 3GPP Interface Type, Destination Interface Type, Linked Traffic Endpoint ID,
// Data Network Access Identifier, Guaranteed Bitrate, QER Correlation ID.
//
// Refused: Session Set Modification, message bundling, MAR ID, MAR and SRR,
// Ethernet Packet Filter, Redirect Information, Header Enrichment, Packet Rate.
//
// Announced: FTUP, EMPU, PDIU, FRRT, PFDM, PFDE, DDND, UDBC, MNOP, VTIME, QUOAC, UEIP, ADPDP,
// SSET, MPAS.
//
// A datapath that cannot carry a rule out has it refused, but for BUFF, where Config.Buffering decides.
package n4
