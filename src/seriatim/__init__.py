"""seriatim publishes tables about people again and again, safely.

A release is chosen by simulating its reader. The map, from the data upward:

- **microdata** names things: ``Schema`` with ``Numeric``, ``Date``, ``Ordinal``,
  ``Categorical``, ``Hierarchical`` and ``Sensitive``; the private ``View`` and
  ``Roster``; the public ``Release`` with its ``Group`` and ``Region``; who is in which
  group: ``Membership``, or where that is open ``Placement``, both found by ``place``; the
  releases in order: ``History``. ``open_table`` reads files and databases,
  ``Intake`` makes a raw table fit (``Taken``), ``read_release``, ``read_buckets`` and
  ``read_history`` read what others released.
- **knowledge** is what a reader may know: ``UniformPrior``, ``MarginalPrior``,
  ``ClassPrior``, ``TabulatedPrior`` give a ``Belief``; ``DomainKnowledge`` and
  ``Automaton`` say what follows what; ``truncate`` shortens a memory; ``entropy`` and
  ``js_divergence`` tell how sure a reader is and how far beliefs lie apart.
- ``mine`` counts a corpus into ``MinedKnowledge``, ``IncrementalKnowledge`` the views as they
  come; ``KernelPrior`` learns from people alike; ``PerPeriod`` and ``TransitionRates`` go by
  elapsed time; ``read_knowledge`` and ``write_knowledge`` keep all of them in files.
- **inference** thinks like the reader: ``Adversary``, with the rules ``Additive`` and
  ``Omega`` of the paper and the stronger ``Sinkhorn``, ``Bethe``, ``Exact`` and
  ``Strongest``; ``Retrospective`` goes back over a series; ``Worlds`` weighs every world that
  fits all of it; ``CompromisedTuples`` are what a reader was told, ``learned_from_releases`` one
  who knows nothing but the releases; ``posterior``, ``revise``, ``smooth`` and ``weigh_worlds`` on
  bare arrays.
- **privacy** is what a group must satisfy: ``KAnonymity``, ``DistinctLDiversity``,
  ``EntropyLDiversity``, ``RecursiveCLDiversity``, ``TCloseness``, ``BetaLikeness``,
  ``DeltaDisclosure``, ``MUniqueness``, ``BTPrivacy``, ``JSBound``, ``PosteriorBound``, joined
  with ``&``; each gives a ``Verdict``.
- **partition** forms groups: ``HilbertGreedy``, ``HilbertOptimal`` and ``hilbert_index``,
  ``Mondrian``, ``MInvariant``, and for series that last ``StandingCells``.
- **measure** tells what came of it: ``adversary_gain``, ``adversary_confidence``,
  ``exposure``, ``global_certainty_penalty``, ``semiperimeter``, ``suppression``, ``invariance``;
  ``differences`` subtracts groups of releases from each other (``Differences``, ``NamedValue``);
  ``median_query_error`` and ``query_errors`` ask a release what people would count,
  ``learnability`` what can be learned of values given quasi-identifiers (``Learnability``);
  ``known_people`` counts of whom a reader is sure (``KnownPeople``);
  ``estimate_from_buckets`` is for those who analyse buckets (``BucketEstimates``).
- **publish** makes a series: ``Policy``, ``js_reduce``, the rivals ``k_anonymity``,
  ``l_diversity``, ``t_closeness``, ``bt_privacy``, ``m_invariance``; ``Publisher``,
  ``Publication``; keeps it in a ``MemoryStore`` or a ``DuckDBStore``, sealed with a ``Key``;
  publishes a ``Study`` into files with a ``Press``; ``verify`` and ``verify_chain`` check them
  by their certificates. ``rehearse`` plays a ``SeriesPlan`` (with ``Attendance``) before anything
  is published, ``tune`` past views: a ``Rehearsal`` is made of each ``Trial`` of a ``Setting``.
  ``foresee`` learns from past views the ``Population`` that a rehearsal draws from, and its reader:
  ``Foreknowledge``.
- **errors** say whose move it is: ``SeriatimError`` with ``SchemaError``, ``TableError``,
  ``KnowledgeError``, ``PolicyError``, ``OrderError``, ``StudyError``, ``StoreError`` and
  ``UnsatisfiableError`` for the caller, ``InternalError`` for us; a ``TableWarning`` tells what is
  odd about a table and may be meant.
- **audit** attacks a series with several readers: ``audit`` gives ``Findings`` with each
  ``Risk``, ``explain`` an ``Explanation``; ``assess`` gives an ``Assessment`` before anything
  is published.
- **engines** publish in shards what one machine cannot hold: ``LocalEngine``, ``SparkEngine``.
- **experiments** tries techniques on a series: ``compare`` publishes a ``Material`` with each
  ``Technique`` and gives a ``Comparison``.
- ``running_example`` has Alice, Betty, Carol and Doris; ``clinic`` makes weekly tables;
  ``hospital`` makes a ``Hospital`` in the paper's shape and of any size, from a ``Progression``
  of your own or from published stages: ``Literature``, each ``Disease`` a readable file;
  ``register`` makes a ``Register`` of people whose diagnoses stay.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
