package record

// Incident is something that happened to a UPF or around it while users had traffic, and
// what that cost them.
type Incident struct {
	ID     string  `json:"id"` // "handover.1", "upf.restart" ...
	Title  string  `json:"title"`
	Clause string  `json:"clause,omitempty"`
	UEs    int     `json:"ues"`
	PPS    float64 `json:"pps"` // of all UEs, each direction
	// Uplink and Downlink are what users lost.
	Uplink   *Interruption `json:"uplink,omitempty"`
	Downlink *Interruption `json:"downlink,omitempty"`
	Handover *PathSwitch   `json:"handover,omitempty"`
	Buffer   *Buffering    `json:"buffer,omitempty"`
	// Phases are what happened when, s from the event.
	Phases []Phase `json:"phases,omitempty"`
	// Told is what the UPF told its SMF by itself.
	Told []string `json:"told,omitempty"`
	// NotApplicable is why it was not tried: upflab cannot do it to this UPF.
	NotApplicable string `json:"not_applicable,omitempty"`
	// Problem is why it could not be carried out; Died, that the UPF did not survive it.
	Problem string `json:"problem,omitempty"`
	Died    bool   `json:"died,omitempty"`
}

// Interruption is what one direction lost. Times are by when packets were sent, so that
// nothing that delays the sender counts.
type Interruption struct {
	Sent uint64 `json:"sent"`
	Lost uint64 `json:"lost"`
	// LostBefore were sent in the 500 ms before the incident: what is lost without one.
	LostBefore uint64 `json:"lost_before"`
	Duplicates uint64 `json:"duplicates"`
	// Reordered arrived after a later packet of the same UE.
	Reordered uint64 `json:"reordered"`
	// OutageS is the longest run of lost packets of a UE, from its first to the next one that
	// arrived; MeanOutageS the mean of all UEs' longest, AffectedUEs those that lost any.
	OutageS     float64 `json:"outage_s"`
	MeanOutageS float64 `json:"mean_outage_s"`
	AffectedUEs int     `json:"affected_ues"`
	// SpacingS is the time between two packets of a UE: what an outage may be off by.
	SpacingS float64 `json:"spacing_s"`
}

// PathSwitch is a handover on N3.
type PathSwitch struct {
	N4S float64 `json:"n4_s"` // from the first request to the last answer
	// ToOld arrived at the old gNB after the UE's first packet at the new one; AfterMarker those
	// of them after the End Marker; Misdelivered came in another tunnel than either.
	ToOld        uint64 `json:"to_old"`
	AfterMarker  uint64 `json:"after_marker"`
	Misdelivered uint64 `json:"misdelivered"`
	// EndMarkers arrived at the old gNB, MarkedUEs are the UEs that got exactly one.
	EndMarkers uint64 `json:"end_markers"`
	MarkedUEs  int    `json:"marked_ues"`
}

// Buffering is downlink packets of an idle UE.
type Buffering struct {
	IdleS    float64 `json:"idle_s"`
	Offered  uint64  `json:"offered"` // while it was idle
	Kept     uint64  `json:"kept"`    // arrived after it was active again
	Leaked   uint64  `json:"leaked"`  // arrived while it was idle
	Dropped  uint64  `json:"dropped"`
	FirstS   float64 `json:"first_after_s"` // from the modification to the first that was kept
	LastS    float64 `json:"last_after_s"`
	Reported bool    `json:"reported"`
	ReportS  float64 `json:"report_after_s,omitempty"` // from the first modification to the first report
	Reports  int     `json:"reports"`
}

// Phase is when something was so, s from the event.
type Phase struct {
	What  string  `json:"what"`
	After float64 `json:"after_s"`
}
