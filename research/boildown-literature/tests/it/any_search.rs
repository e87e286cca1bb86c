//! Any search behind one type, so that what checks searches is compiled once instead of for each of
//! them.

use boildown_search::{Fingerprint, Query, Search, Subset, Verdict};

/// A search whose type is forgotten. It behaves as the search inside does.
pub(crate) struct AnySearch<'a>(Box<dyn Erased<'a> + 'a>);

impl<'a> AnySearch<'a> {
    pub(crate) fn new(search: impl Search<Candidate = Subset> + 'a) -> Self {
        Self(Box::new(search))
    }
}

impl Clone for AnySearch<'_> {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

impl Search for AnySearch<'_> {
    type Candidate = Subset;

    fn is_ready(&self) -> bool {
        self.0.is_ready()
    }

    fn prepare(&mut self) {
        self.0.prepare();
    }

    fn is_costly_to_prepare(&self) -> bool {
        self.0.is_costly_to_prepare()
    }

    fn ask(&self) -> Option<Query<Subset>> {
        self.0.ask()
    }

    fn edit(&self) -> Option<Fingerprint> {
        self.0.edit()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.0.tell(verdict);
    }

    fn skip(&mut self) {
        self.0.skip();
    }

    fn best(&self) -> Subset {
        self.0.best()
    }
}

/// What a search does, without what needs its type.
trait Erased<'a> {
    fn boxed(&self) -> Box<dyn Erased<'a> + 'a>;
    fn is_ready(&self) -> bool;
    fn prepare(&mut self);
    fn is_costly_to_prepare(&self) -> bool;
    fn ask(&self) -> Option<Query<Subset>>;
    fn edit(&self) -> Option<Fingerprint>;
    fn tell(&mut self, verdict: Verdict);
    fn skip(&mut self);
    fn best(&self) -> Subset;
}

impl<'a, S: Search<Candidate = Subset> + 'a> Erased<'a> for S {
    fn boxed(&self) -> Box<dyn Erased<'a> + 'a> {
        Box::new(self.clone())
    }

    fn is_ready(&self) -> bool {
        Search::is_ready(self)
    }

    fn prepare(&mut self) {
        Search::prepare(self);
    }

    fn is_costly_to_prepare(&self) -> bool {
        Search::is_costly_to_prepare(self)
    }

    fn ask(&self) -> Option<Query<Subset>> {
        Search::ask(self)
    }

    fn edit(&self) -> Option<Fingerprint> {
        Search::edit(self)
    }

    fn tell(&mut self, verdict: Verdict) {
        Search::tell(self, verdict);
    }

    fn skip(&mut self) {
        Search::skip(self);
    }

    fn best(&self) -> Subset {
        Search::best(self)
    }
}
