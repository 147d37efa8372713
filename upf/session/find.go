package session

// FindPDR returns the PDR with the ID, or nil.
func (r *Rules) FindPDR(id uint16) *PDR {
	for i := range r.PDRs {
		if r.PDRs[i].ID == id {
			return &r.PDRs[i]
		}
	}
	return nil
}

// FindBAR returns the BAR with the ID, or nil.
func (r *Rules) FindBAR(id uint32) *BAR {
	for i := range r.BARs {
		if r.BARs[i].ID == id {
			return &r.BARs[i]
		}
	}
	return nil
}

// FindFAR returns the FAR with the ID, or nil.
func (r *Rules) FindFAR(id uint32) *FAR {
	for i := range r.FARs {
		if r.FARs[i].ID == id {
			return &r.FARs[i]
		}
	}
	return nil
}

// FindQER returns the QER with the ID, or nil.
func (r *Rules) FindQER(id uint32) *QER {
	for i := range r.QERs {
		if r.QERs[i].ID == id {
			return &r.QERs[i]
		}
	}
	return nil
}

// Mark is what QERs of a PDR give its packets: QFI and RQI of the first with a QFI, and, of a downlink
// PDR, the first Paging Policy Indicator.
func (r *Rules) Mark(p *PDR) (qfi uint8, rqi bool, ppi PPI) {
	for _, id := range p.QERs {
		q := r.FindQER(id)
		if q == nil {
			continue
		}
		if qfi == 0 {
			qfi, rqi = q.QFI, q.RQI
		}
		if ppi == 0 && p.PDI.Source == Core {
			ppi = q.PPI
		}
	}
	return qfi, rqi, ppi
}

// IsOpen reports whether the gates of a PDR's QERs let its packets pass (TS 29.244 clause 5.4.3).
func (r *Rules) IsOpen(p *PDR) bool {
	for _, id := range p.QERs {
		q := r.FindQER(id)
		if open := q == nil || q.GateUL && p.PDI.Source == Access || q.GateDL && p.PDI.Source != Access; !open {
			return false
		}
	}
	return true
}

// FindEndpoint returns the traffic endpoint with the ID, or nil.
func (r *Rules) FindEndpoint(id uint8) *Endpoint {
	for i := range r.Endpoints {
		if r.Endpoints[i].ID == id {
			return &r.Endpoints[i]
		}
	}
	return nil
}
