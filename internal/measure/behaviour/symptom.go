package behaviour

// Symptoms are what of a step was not as it should be, in a word that is the same in each case that
// sees it. Findings with one symptom may have one cause (package causes). Those of altered packets
// are named where they are compared.
const (
	symptomLost       = "lost-"  // packets that should arrive, with the direction
	symptomFirst      = "first-" // the first packet of a session alone, with the direction
	symptomLoss       = "loss"   // a few of many
	symptomLeaked     = "leaked" // packets that should not arrive
	symptomCopies     = "copies"
	symptomOrder      = "order"
	symptomPlace      = "place" // N3 in place of N6, with or without a tunnel
	symptomTunnel     = "tunnel"
	symptomSomeTunnel = "tunnel-some"       // some of the packets that are alike
	symptomLateChange = "change-late"       // a change takes effect after its answer
	symptomLostAfter  = "lost-after-change" // for a while
	symptomIgnored    = "ignored"           // as if the rule were not there
	symptomRate       = "rate"
	symptomUsage      = "usage"
	symptomUncounted  = "usage-low" // less than arrived
	symptomNoUsage    = "no-usage"
	symptomReport     = "report"
	symptomLateReport = "report-late"
	symptomReportTime = "report-time" // periods, and other times at which reports are due
	symptomThreshold  = "threshold"   // the volume at which reports are due
	symptomTimes      = "report-times"
	symptomDuration   = "duration" // longer than the time that it is of
	symptomUnasked    = "report-unasked"
	symptomEndMarker  = "end-marker"
	symptomUnanswered = "unanswered"
	symptomKept       = "kept"     // something of sessions that are gone
	symptomAccepted   = "accepted" // what has to be refused
	symptomRefused    = "refused"
	symptomDied       = "died"
	symptomSequence   = "sequence-"   // of answers, with the request
	symptomNode       = "answer-node" // of answers
	symptomAnswerPort = "answer-port" // of answers
	symptomAnswerSEID = "answer-seid" // of answers
	symptomOffending  = "offending-ie"
	symptomFailedRule = "failed-rule"
	symptomReportSEID = "report-seid" // of session reports
	symptomReportForm = "report-form" // of session reports and usage reports: their IEs
	symptomFTEID      = "fteid-address"
	symptomICMP       = "icmp-form"   // of ICMP errors: their checksum and source
	symptomSignal     = "gtpu-answer" // GTP-U signalling that says something else
)

// lost is the symptom of a packet that should arrive.
func (p *Packet) lost() string {
	if p.Up {
		return symptomLost + "uplink"
	}
	return symptomLost + "downlink"
}

// because notes the symptom of a failure.
func because(symptom string, err error) error {
	if f, is := err.(*Failure); is {
		f.Symptom = symptom
	}
	return err
}

// symptomOf is the symptom of an error; "": it has none.
func symptomOf(err error) string {
	if f, is := err.(*Failure); is {
		return f.Symptom
	}
	return ""
}
