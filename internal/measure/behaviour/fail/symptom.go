package fail

// Symptoms are what of a step was not as it should be, in a word that is the same in each case that
// sees it. Findings with one symptom may have one cause (package causes). Those of altered packets
// are named where they are compared.
const (
	Lost       = "lost-"  // packets that should arrive, with the direction
	First      = "first-" // the first packet of a session alone, with the direction
	Loss       = "loss"   // a few of many
	Leaked     = "leaked" // packets that should not arrive
	Copies     = "copies"
	Order      = "order"
	Place      = "place" // N3 in place of N6, with or without a tunnel
	Tunnel     = "tunnel"
	SomeTunnel = "tunnel-some"       // some of the packets that are alike
	LateChange = "change-late"       // a change takes effect after its answer
	LostAfter  = "lost-after-change" // for a while
	Ignored    = "ignored"           // as if the rule were not there
	Rate       = "rate"
	Usage      = "usage"
	Uncounted  = "usage-low" // less than arrived
	NoUsage    = "no-usage"
	Report     = "report"
	LateReport = "report-late"
	ReportTime = "report-time" // periods, and other times at which reports are due
	Threshold  = "threshold"   // the volume at which reports are due
	Times      = "report-times"
	Duration   = "duration" // longer than the time that it is of
	Unasked    = "report-unasked"
	EndMarker  = "end-marker"
	Unanswered = "unanswered"
	Kept       = "kept"     // something of sessions that are gone
	Accepted   = "accepted" // what has to be refused
	Refused    = "refused"
	Died       = "died"
	Sequence   = "sequence-"   // of answers, with the request
	Node       = "answer-node" // of answers
	AnswerPort = "answer-port" // of answers
	AnswerSEID = "answer-seid" // of answers
	Offending  = "offending-ie"
	FailedRule = "failed-rule"
	ReportSEID = "report-seid" // of session reports
	ReportForm = "report-form" // of session reports and usage reports: their IEs
	FTEID      = "fteid-address"
	ICMP       = "icmp-form"   // of ICMP errors: their checksum and source
	Signal     = "gtpu-answer" // GTP-U signalling that says something else
)

// Because notes the symptom of a failure.
func Because(symptom string, err error) error {
	if f, is := err.(*Failure); is {
		f.Symptom = symptom
	}
	return err
}

// SymptomOf is the symptom of an error; "": it has none.
func SymptomOf(err error) string {
	if f, is := err.(*Failure); is {
		return f.Symptom
	}
	return ""
}
