package record

// Attack is what inputs did to a UPF.
type Attack struct {
	Inputs    uint64  `json:"inputs"`
	PerSecond float64 `json:"inputs_per_second"` // while they were sent
	// Unread is how many of them the UPF's sockets had no room for.
	Unread uint64 `json:"inputs_unread"`
	// Answers are those to PFCP messages, Sessions what of them was established.
	Answers  uint64  `json:"answers"`
	Sessions uint64  `json:"sessions"`
	Ended    []Ended `json:"ended,omitempty"`
	// Before and After are at the end of the first quarter of the time and at the end, with
	// the sessions of the inputs deleted; 0: not known.
	MemoryBefore  uint64 `json:"memory_before_bytes,omitempty"`
	MemoryAfter   uint64 `json:"memory_after_bytes,omitempty"`
	FilesBefore   int    `json:"open_files_before,omitempty"`
	FilesAfter    int    `json:"open_files_after,omitempty"`
	ThreadsBefore int    `json:"threads_before,omitempty"`
	ThreadsAfter  int    `json:"threads_after,omitempty"`
	// RoomBefore and RoomAfter are how many of 200 sessions the UPF took before the inputs
	// and after them, with the sessions of the inputs deleted.
	RoomBefore int `json:"room_before,omitempty"`
	RoomAfter  int `json:"room_after,omitempty"`
	// Floods are rates of an attack, and what of the others' traffic is left.
	Floods []Flood `json:"floods,omitempty"`
}

// Ended is a way in which inputs ended a UPF.
type Ended struct {
	What  string `json:"what"`
	Times int    `json:"times"`
	// Inputs is how many it takes; they are in File, relative to the result's folder.
	Inputs int    `json:"inputs"`
	File   string `json:"file,omitempty"`
	// Repeatable: they do it to a fresh UPF, too.
	Repeatable bool `json:"repeatable"`
}

// Flood is legitimate users' traffic at one rate of an attack.
type Flood struct {
	OfferedPPS float64 `json:"offered_pps"` // of the attack
	SentPPS    float64 `json:"sent_pps"`
	LossRatio  float64 `json:"loss_ratio"`     // of the users' packets
	P50NS      float64 `json:"latency_p50_ns"` // of the users' packets
	P99NS      float64 `json:"latency_p99_ns"`
	Packets    uint64  `json:"packets"`   // the users' that were sent
	Reflected  uint64  `json:"reflected"` // packets that the UPF sent in answer to the attack
	// Amplification is how many octets the UPF sent for each of the attack's.
	Amplification float64 `json:"amplification"`
}

// Keeps reports whether there are files of inputs.
func (a *Attack) Keeps() bool { return a != nil && len(a.Ended) > 0 }
