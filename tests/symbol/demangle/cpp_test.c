#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/demangled.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "support/core/random.h"

/* By the grammar of the ABI, with the text of libstdc++ (of gcc 12; what it does not read yet has
 * the text of later ones: packs of generic lambdas, noexcept(), _Float16). */
static const char *const names[][2] = {
    /* encodings: functions, variables, special names */
    {"_Z1x", "x"},
    {"_Z1fv", "f()"},
    {"_Z1fi", "f(int)"},
    {"_Z1fiz", "f(int, ...)"},
    {"_ZL1x", "x"},
    {"_ZL1f_0", "f"},
    {"_ZL1fv", "f()"},
    {"_ZN1A1xE", "A::x"},
    {"_ZN1A1B1CE", "A::B::C"},
    {"_ZNK1A1fEv", "A::f() const"},
    {"_ZNrVK1A1fEv", "A::f() const volatile restrict"},
    {"_ZNO1A1fEv", "A::f() &&"},
    {"_ZNKR1A1fIiEET_v", "int A::f<int>() const &"},
    {"_ZN3fooL1x_1E", "foo::x"},
    {"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()"},
    {"_ZN12_GLOBAL_$N_11fEv", "(anonymous namespace)::f()"},
    {"_ZTV1AIiE", "vtable for A<int>"},
    {"_ZTT1A", "VTT for A"},
    {"_ZTI1A", "typeinfo for A"},
    {"_ZTIFvvE", "typeinfo for void ()"},
    {"_ZTIM1Ai", "typeinfo for int A::*"},
    {"_ZTSPKc", "typeinfo name for char const*"},
    {"_ZTC1A8_1B", "construction vtable for B-in-A"},
    {"_ZThn8_N1A1fEv", "non-virtual thunk to A::f()"},
    {"_ZTv0_n24_N1A1fEv", "virtual thunk to A::f()"},
    {"_ZTch0_v0_n24_N1A1fEv", "covariant return thunk to A::f()"},
    {"_ZTH1x", "TLS init function for x"},
    {"_ZTW1x", "TLS wrapper function for x"},
    {"_ZTAXtl1ALi1EEE", "template parameter object for A{1}"},
    {"_ZTF1A", "typeinfo fn for A"},
    {"_ZTJ1A", "java Class for A"},
    {"_ZGVZ1fvE1x", "guard variable for f()::x"},
    {"_ZGRL1x_", "reference temporary #0 for x"},
    {"_ZGRN1A1xE12_", "reference temporary #12 for A::x"},
    {"_ZGR1x_", "reference temporary #0 for x"},
    {"_ZGTt1fv", "transaction clone for f()"},
    {"_ZGTn1fv", "non-transaction clone for f()"},
    {"_ZGA1fv", "hidden alias for f()"},
    /* names: std, constructors, destructors, conversions, tags */
    {"_ZSt4sort", "std::sort"},
    {"_ZStL3foo", "std::foo"},
    {"_ZNSt6vectorC1Ev", "std::vector::vector()"},
    {"_ZNSsC1Ev",
     "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string()"},
    {"_ZNSaIcEC1Ev", "std::allocator<char>::allocator()"},
    {"_ZNSiD0Ev", "std::basic_istream<char, std::char_traits<char> >::~basic_istream()"},
    {"_ZNSolsEi", "std::ostream::operator<<(int)"},
    {"_ZNSdC2Ev", "std::basic_iostream<char, std::char_traits<char> >::basic_iostream()"},
    {"_ZN1ACI11BIiEEv", "A::B()"},
    {"_ZN1AIiEC1IcEET_", "A<int>::A<char>(char)"},
    {"_ZN1AD5Ev", "A::~A()"},
    {"_ZN1AUt_C1Ev", "A::{unnamed type#1}::A()"},
    {"_ZN1AB3cxxC1Ev", "A[abi:cxx]::A()"},
    {"_ZN1A1fB3cxxB3abcEv", "A::f[abi:cxx][abi:abc]()"},
    {"_ZN1AcvbEv", "A::operator bool()"},
    {"_ZN1AcvPKcEv", "A::operator char const*()"},
    {"_ZN1AcvT_IiEEv", "A::operator int<int>()"},
    {"_ZN1AcvPT_IiEEv", "A::operator int*<int>()"},
    {"_ZN1AcvT_I1BIiEEEv", "A::operator B<int><B<int> >()"},
    {"_ZN1A1BIiEcvPFT_vEIiEEv", "A::B<int>::operator int (*)()<int>()"},
    /* operators */
    {"_ZN1AaSERKS_", "A::operator=(A const&)"},
    {"_ZN1AclEi", "A::operator()(int)"},
    {"_ZN1AixEi", "A::operator[](int)"},
    {"_ZN1AptEv", "A::operator->()"},
    {"_ZN1ApmEv", "A::operator->*()"},
    {"_ZN1AssERKS_", "A::operator<=>(A const&)"},
    {"_ZN1AawEv", "A::operator co_await()"},
    {"_ZN1AdlEPv", "A::operator delete(void*)"},
    {"_ZdaPv", "operator delete[](void*)"},
    {"_Znwm", "operator new(unsigned long)"},
    {"_ZltI1AEbT_", "bool operator< <A>(A)"},
    {"_ZlsI1AEbT_", "bool operator<< <A>(A)"},
    {"_Zli2_xy", "operator\"\" _x(unsigned long long)"},
    {"_Zli2_xIiEvy", "void operator\"\" _x<int>(unsigned long long)"},
    {"_Zv23fooii", "operator foo(int, int)"},
    /* local names, lambdas, unnamed types */
    {"_ZZ1fvE1x_0", "f()::x"},
    {"_ZZ1fvE1x__12_", "f()::x"},
    {"_ZZ1fvEs_0", "f()::string literal"},
    {"_ZZ1fvEd_N1A1gEv", "f()::{default arg#1}::A::g()"},
    {"_ZZ1fvEd0_NUlvE_clEv", "f()::{default arg#2}::{lambda()#1}::operator()()"},
    {"_ZZ1fvENKUlvE_clEv", "f()::{lambda()#1}::operator()() const"},
    {"_ZZ1fvENUlvE0_clEv", "f()::{lambda()#2}::operator()()"},
    {"_ZZNK1A1fEvENKUlvE_clEv", "A::f() const::{lambda()#1}::operator()() const"},
    {"_ZZ1fIiEvvENK1A1gIcEEvT_", "void f<int>()::A::g<char>(char) const"},
    {"_ZZ1fIiEivENKUlT_E_clIcEEDaS_",
     "auto f<int>()::{lambda(auto:1)#1}::operator()<char>(f) const"},
    {"_ZN3fooUlRKT_T0_E_clIiEEvv",
     "void foo::{lambda(auto:1 const&, auto:2)#1}::operator()<int>()"},
    {"_ZN3fooUlDpOT_E_clIJiEEEvv", "void foo::{lambda((auto:1&&)...)#1}::operator()<int>()"},
    {"_ZN3fooUlDp1AE_clEv", "foo::{lambda(A...)#1}::operator()()"},
    {"_ZN1A1xMUlvE_clEv", "A::x::{lambda()#1}::operator()()"},
    {"_ZN1AUt0_D1Ev", "A::{unnamed type#2}::~A()"},
    {"_ZZ1fvENKUt_1gEv", "f()::{unnamed type#1}::g() const"},
    {"_ZZZ1fvE1gvE1x", "f()::g()::x"},
    /* types: qualifiers, pointers, references */
    {"_Z1fPVKi", "f(int const volatile*)"},
    {"_Z1fPrVKi", "f(int const volatile restrict*)"},
    {"_Z1fRVKPKi", "f(int const* const volatile&)"},
    {"_Z1fOi", "f(int&&)"},
    {"_Z1fKi", "f(int const)"},
    {"_Z1fCdGf", "f(double _Complex, float _Imaginary)"},
    {"_Z1fPU3AS13foo", "f(foo AS1*)"},
    {"_Z1fU3fooIiEPi", "f(int* foo<int>)"},
    {"_Z1fu3foo", "f(foo)"},
    {"_Z1fDnDiDsDuDdDeDf",
     "f(decltype(nullptr), char32_t, char16_t, char8_t, decimal64, decimal128, decimal32)"},
    {"_Z1fDa", "f(auto)"},
    {"_Z1fDc", "f(decltype(auto))"},
    {"_Z1fabcdefghijlmnostwxyz",
     "f(signed char, bool, char, double, long double, float, __float128, unsigned char, int, "
     "unsigned int, long, unsigned long, __int128, unsigned __int128, short, unsigned short, "
     "wchar_t, long long, unsigned long long, ...)"},
    {"_Z1fDhDF16_DF32xDF16b", "f(half, _Float16, _Float32x, std::bfloat16_t)"},
    {"_Z1fDF8s7s", "f(_Sat short _Accum)"},
    {"_Z1fDF8i7n", "f(_Accum)"},
    {"_Z1fv", "f()"},
    /* types: functions, arrays, members, vectors */
    {"_Z1fPFviE", "f(void (*)(int))"},
    {"_Z1fPFPFviEvE", "f(void (*(*)())(int))"},
    {"_Z1fPFPFivEiE", "f(int (*(*)(int))())"},
    {"_Z1fPFM1AFivEiE", "f(int (A::*(*)(int))())"},
    {"_Z1fM1AFPFivEiE", "f(int (* (A::*)(int))())"},
    {"_Z1fPFRA3_ivE", "f(int (& (*)()) [3])"},
    {"_Z1fPDoFvvE", "f(void (*)() noexcept)"},
    {"_Z1fPDOLb1EEFvvE", "f(void (*)() noexcept(true))"},
    {"_Z1fPDwiEFvvE", "f(void (*)() throw(int))"},
    {"_Z1fPKDoFvvE", "f(void (*)() noexcept const)"},
    {"_Z1fPDxFvvE", "f(void (*)() transaction_safe)"},
    {"_Z1fM1AFivE", "f(int (A::*)())"},
    {"_Z1fM1AKFivE", "f(int (A::*)() const)"},
    {"_Z1fM1AKFivRE", "f(int (A::*)() const &)"},
    {"_Z1fM1AFivOE", "f(int (A::*)() &&)"},
    {"_Z1fM1Ai", "f(int A::*)"},
    {"_Z1fKM1AFvvE", "f(void (A::* const)())"},
    {"_Z1fFvvE", "f(void ())"},
    {"_Z1fPFYvvE", "f(void (*)())"},
    {"_Z1fA3_i", "f(int [3])"},
    {"_Z1fPA_i", "f(int (*) [])"},
    {"_Z1fRA3_A4_i", "f(int (&) [3][4])"},
    {"_Z1fRA3_KA4_i", "f(int const (&) [3][4])"},
    {"_Z1fPKA3_i", "f(int const (*) [3])"},
    {"_Z1fPA3_Ki", "f(int const (*) [3])"},
    {"_Z1fM1AA3_i", "f(int (A::*) [3])"},
    {"_Z1fDv4_i", "f(int __vector(4))"},
    {"_Z1fDv_Li4E_i", "f(int __vector(4))"},
    {"_Z1fIiEPFvvET_", "void (*f<int>(int))()"},
    {"_Z1fIiEPA3_iT_", "int (*f<int>(int)) [3]"},
    {"_Z1fIiEvRAstT__i", "void f<int>(int (&) [sizeof (int)])"},
    /* templates: arguments, packs, collapsed references */
    {"_Z1fIiEvT_", "void f<int>(int)"},
    {"_Z1fI1AIiEEvT_", "void f<A<int> >(A<int>)"},
    {"_Z1fI1AI1BIiEEEvT_", "void f<A<B<int> > >(A<B<int> >)"},
    {"_Z1fI1AIiJEEEvv", "void f<A<int> >()"},
    {"_Z1fI1AI1BIiEJEEEvv", "void f<A<B<int>> >()"},
    {"_Z1fI1AIJE1BIiEEEvv", "void f<A<, B<int> > >()"},
    {"_Z1fIJiicEEvDpT_", "void f<int, int, char>(int, int, char)"},
    {"_Z1fIJEEvDpT_", "void f<>()"},
    {"_Z1fIJiEJEEvDpT_DpT0_", "void f<int>(int)"},
    {"_Z1fIJiEJcEEvDpT_iDpT0_", "void f<int, char>(int, int, char)"},
    {"_Z1fIJEEv1AIJiDpT_EE", "void f<>(A<int>)"},
    {"_Z1fIJiiEEvDpPFvT_E", "void f<int, int>(void (*)(int), void (*)(int))"},
    {"_Z1fIJiiEJccEEvDp1AIT_DpT0_E",
     "void f<int, int, char, char>(A<int, char, char>, A<int, char, char>)"},
    {"_Z1fIiEvPFvDpT_E", "void f<int>(void (*)((int)...))"},
    {"_Z1fIRiEvOT_", "void f<int&>(int&)"},
    {"_Z1fIOiEvOT_", "void f<int&&>(int&&)"},
    {"_Z1fIOiEvRT_", "void f<int&&>(int&)"},
    {"_Z1fIRiEvRKT_", "void f<int&>(int& const&)"},
    {"_Z1fIFivEEvPT_", "void f<int ()>(int (*)())"},
    {"_Z1fIFivEEvRKT_", "void f<int ()>(int ( const&)())"},
    {"_Z1fIA3_iEvRKT_", "void f<int [3]>(int const (&) [3])"},
    {"_Z1fIM1AFivEEvRKT_", "void f<int (A::*)()>(int (A::* const&)())"},
    {"_Z1fIKFivEEvM1AT_", "void f<int () const>(int (A::*)() const)"},
    {"_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_",
     "std::remove_reference<int&>::type&& std::move<int&>(int&)"},
    {"_Z1fI1AEvT_IiE", "void f<A>(A<int>)"},
    /* substitutions */
    {"_Z1f1AIiiE1BIS0_E", "f(A<int, int>, B<A<int, int> >)"},
    {"_ZN1A1BIiE1CIcEC2IxEERKS_", "A::B<int>::C<char>::C<long long>(A const&)"},
    {"_Z1f1A1B1C1D1E1F1G1H1I1J1K1L1M1N1O1P1Q1R1S1T1U1V1W1X1Y1Z1a1b1c1d1e1f1g1h1i1j1k1l1mS_S0_S9_SA_"
     "SZ_S10_",
     "f(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z, a, b, c, d, "
     "e, f, g, h, i, j, k, l, m, A, B, K, L, k, l)"},
    {"_ZNSt3fooIiE3barES0_", "std::foo<int>::bar(std::foo<int>)"},
    {"_Z1fSsSaIcESbIcESiSoSd", "f(std::string, std::allocator<char>, std::basic_string<char>, "
                               "std::istream, std::ostream, std::iostream)"},
    {"_Z1fSaB3cxxS_", "f(std::allocator[abi:cxx], std::allocator[abi:cxx])"},
    /* literals */
    {"_Z1fILi5ELin5ELj5EEvv", "void f<5, -5, 5u>()"},
    {"_Z1fILm5ELl5ELx5ELy5ELs5ELc97ELa5ELh5ELw5ELb1ELb0ELb2EEvv",
     "void f<5ul, 5l, 5ll, 5ull, (short)5, (char)97, (signed char)5, (unsigned char)5, (wchar_t)5, "
     "true, false, (bool)2>()"},
    {"_Z1fILd3ff0000000000000EEvv", "void f<(double)[3ff0000000000000]>()"},
    {"_Z1fILn5EEvv", "void f<(__int128)5>()"},
    {"_Z1fILN1A1BE3EEvv", "void f<(A::B)3>()"},
    {"_Z1fILN1A1BEn3EEvv", "void f<(A::B)-3>()"},
    {"_Z1fILPv0EEvv", "void f<(void*)0>()"},
    {"_Z1fILDnEEvv", "void f<decltype(nullptr)>()"},
    {"_Z1fILDn0EEvv", "void f<(decltype(nullptr))0>()"},
    {"_Z1fIL_Z1xEEvv", "void f<x>()"},
    {"_Z1fILZ1xEEvv", "void f<x>()"},
    {"_Z1fIXadL_Z1gvEEEvv", "void f<&(g())>()"},
    {"_Z1fIXadL_ZN1a1gEvEEEvv", "void f<&a::g>()"},
    /* expressions */
    {"_Z1fIXplLi1ELi2EEEvv", "void f<(1)+(2)>()"},
    {"_Z1fIXgtLi1ELi2EEEvv", "void f<((1)>(2))>()"},
    {"_Z1fIXrsLi1ELi2EEEvv", "void f<(1)>>(2)>()"},
    {"_Z1fIiEDTppfp_ET_", "decltype ({parm#1}++) f<int>(int)"},
    {"_Z1fIiEDTpp_fp_ET_", "decltype (++{parm#1}) f<int>(int)"},
    {"_Z1fIiEDTmmfp_ET_", "decltype ({parm#1}--) f<int>(int)"},
    {"_Z1fDTfpTE", "f(decltype (this))"},
    {"_Z1fIiEDTixfp_Li0EET_", "decltype ({parm#1}[0]) f<int>(int)"},
    {"_Z1fIiEDTqufp_Li0ELi1EET_", "decltype ({parm#1}?(0) : (1)) f<int>(int)"},
    {"_Z1fIiEDTclfp_EET_", "decltype ({parm#1}()) f<int>(int)"},
    {"_Z1fIiEDTcl1gfp_fp0_EET_", "decltype (g({parm#1}, {parm#2})) f<int>(int)"},
    {"_Z1fIXcl1gLi1EEEEvv", "void f<g(1)>()"},
    {"_Z1fIXclL_Z1giELi1EEEEvv", "void f<g(1)>()"},
    {"_Z1fIiEDTcvT_fp_ET_", "decltype ((int){parm#1}) f<int>(int)"},
    {"_Z1fIiEDTcvT__fp_fp_EET_", "decltype ((int)({parm#1}, {parm#1})) f<int>(int)"},
    {"_Z1fIiEDTscT_fp_ET_", "decltype (static_cast<int>({parm#1})) f<int>(int)"},
    {"_Z1fIiEDTrcT_fp_ET_", "decltype (reinterpret_cast<int>({parm#1})) f<int>(int)"},
    {"_Z1fIiEDTnw_T_EET_", "decltype (new int) f<int>(int)"},
    {"_Z1fIiEDTnwfp__T_EET_", "decltype (new ({parm#1}) int) f<int>(int)"},
    {"_Z1fIiEDTnw_T_piLi1EEET_", "decltype (new int(1)) f<int>(int)"},
    {"_Z1fIiEDTnw_T_ilLi1EEET_", "decltype (new int{1}) f<int>(int)"},
    {"_Z1fIiEDTdlfp_ET_", "decltype (delete {parm#1}) f<int>(int)"},
    {"_Z1fIiEDTtwfp_ET_", "decltype (throw {parm#1}) f<int>(int)"},
    {"_Z1fIiEDTtrET_", "decltype (throw) f<int>(int)"},
    {"_Z1fIiEDTnxfp_ET_", "decltype (noexcept({parm#1})) f<int>(int)"},
    {"_Z1fIiEDTstT_ET_", "decltype (sizeof (int)) f<int>(int)"},
    {"_Z1fIiEDTszfp_ET_", "decltype (sizeof {parm#1}) f<int>(int)"},
    {"_Z1fIiEDTatT_ET_", "decltype (alignof (int)) f<int>(int)"},
    {"_Z1fIiEDTdtfp_1xET_", "decltype ({parm#1}.x) f<int>(int)"},
    {"_Z1fIiEDTptfp_1xIiEET_", "decltype ({parm#1}->(x<int>)) f<int>(int)"},
    {"_Z1fIiEDTdtfp_srT_1xET_", "decltype ({parm#1}.int::x) f<int>(int)"},
    {"_Z1fIiEDTdtfp_onplET_", "decltype ({parm#1}.(operator+)) f<int>(int)"},
    {"_Z1fIiEDTdtfp_plET_", "decltype ({parm#1}.(operator+)) f<int>(int)"},
    {"_Z1fIiEDTdsfp_fp_ET_", "decltype ({parm#1}.*{parm#1}) f<int>(int)"},
    {"_Z1fIiEDTcmfp_fp_ET_", "decltype ({parm#1},{parm#1}) f<int>(int)"},
    {"_Z1fIiEDTawfp_ET_", "decltype (co_await {parm#1}) f<int>(int)"},
    {"_Z1fIiEDTtl1Afp_fpTEET_", "decltype (A{{parm#1}, this}) f<int>(int)"},
    {"_Z1fIiEDTtl1Adi1xfp_EET_", "decltype (A{.x={parm#1}}) f<int>(int)"},
    {"_Z1fIiEDTtl1Adi1xdi1yfp_EET_", "decltype (A{.x.y={parm#1}}) f<int>(int)"},
    {"_Z1fIiEDTtl1Adxfp_fp_EET_", "decltype (A{[{parm#1}]={parm#1}}) f<int>(int)"},
    {"_Z1fIiEDTtl1AdXfp_fp_fp_EET_", "decltype (A{[{parm#1} ... {parm#1}]={parm#1}}) f<int>(int)"},
    {"_Z1fIiEDTilfp_fp_EET_", "decltype ({{parm#1}, {parm#1}}) f<int>(int)"},
    {"_Z1fIiEDTu3fooT_EET_", "decltype (foo(int)) f<int>(int)"},
    {"_Z1fIiEDTv13foofp_ET_", "decltype (operator foo{parm#1}) f<int>(int)"},
    {"_Z1fIiEDTgs1xET_", "decltype (::x) f<int>(int)"},
    {"_Z1fIiEDTonplET_", "decltype (operator+) f<int>(int)"},
    {"_Z1fIiEDtfp_ET_", "decltype ({parm#1}) f<int>(int)"},
    /* packs in expressions */
    {"_Z1fIJiicEEDTsZT_EDpT_", "decltype (3) f<int, int, char>(int, int, char)"},
    {"_Z1fIJiicEEDTsPDpT_iEEDpT_", "decltype (4) f<int, int, char>(int, int, char)"},
    {"_Z1fIJiicEEDTfrplT_EDpT_",
     "decltype (((int, int, char)+...)) f<int, int, char>(int, int, char)"},
    {"_Z1fIJiicEEDTflplT_EDpT_",
     "decltype ((...+(int, int, char))) f<int, int, char>(int, int, char)"},
    {"_Z1fIJiicEEDTfLplT_Li1EEDpT_",
     "decltype (((int, int, char)+...+(1))) f<int, int, char>(int, int, char)"},
    {"_Z1fIJiicEEDTfRplLi1ET_EDpT_",
     "decltype (((1)+...+(int, int, char))) f<int, int, char>(int, int, char)"},
    {"_Z1fIJiicEEDTcl1gspfp_EEDpT_", "decltype (g({parm#1}...)) f<int, int, char>(int, int, char)"},
    {"_Z1fIJiicEEDTcl1gspT_EEDpT_",
     "decltype (g(int, int, char)) f<int, int, char>(int, int, char)"},
    /* unresolved names: by the grammar of today, and as gcc 10 wrote them */
    {"_Z1fIiEvDTsr1AE1xES0_", "void f<int>(decltype (A::x), decltype (A::x))"},
    {"_Z1fIiEvDTsr1A1xES0_", "void f<int>(decltype (A::x), A)"},
    {"_Z1fIiEvDTsr1A1BE1xES0_", "void f<int>(decltype (A::B::x), decltype (A::B::x))"},
    {"_Z1fIiEvDTsr1AIiE1xES1_", "void f<int>(decltype (A<int>::x), A<int>)"},
    {"_Z1fIiEvDTsr1AIiEE1xES0_", "void f<int>(decltype (A<int>::x), decltype (A<int>::x))"},
    {"_Z1fIiEvDTsrNT_1BE1xES1_", "void f<int>(decltype (int::B::x), int::B)"},
    {"_Z1fIiEvDTsrSt1A1xES0_", "void f<int>(decltype (std::A::x), std::A)"},
    {"_Z1fIiEvDTsrN1A1BIiEE1xES3_",
     "void f<int>(decltype (A::B<int>::x), decltype (A::B<int>::x))"},
    {"_Z1fIiEvDTsrT_1xE", "void f<int>(decltype (int::x))"},
    {"_Z1fIiEvDTsrT_1xIiEE", "void f<int>(decltype (int::x<int>))"},
    {"_Z1fIiEvDTgssr1A1xE", "void f<int>(decltype (::A::x))"},
    /* what libstdc++ of gcc 12 refuses: declared parameters, parameters of outer functions,
     * conversions to templates */
    {"_ZZN1XIfLj0EE2FnEvENKUlTyfT_E_clIiEEDafS1_",
     "auto X<float, 0u>::Fn()::{lambda<typename $T0>(float, $T0)#1}::operator()<int>(float, int) "
     "const"},
    {"_ZNK6l_var2MUlTpTniDpRAT__iE_clIJLi2ELi2EEEEDaS2_",
     "auto l_var2::{lambda<int... $N0>((int (&) [$N0])...)#1}::operator()<2, 2>(int (&) [2], int "
     "(&) [2]) const"},
    {"_ZNK6l_var3MUlTtTpTniETpTniRT_IJXspT0_EEEE_clI1XJLi1ELi2ELi3EEEEDaS2_",
     "auto l_var3::{lambda<template<int...> class $TT0, int... "
     "$N1>($TT0<($N1)...>&)#1}::operator()<X, 1, 2, 3>(X<1, 2, 3>&) const"},
    {"_Z1fITnDaLi5EEvv", "void f<5>()"},
    {"_Z1fITyiTtTyE1ATpTyJcEEvv", "void f<int, A, char>()"},
    {"_Z1fIiEDTclfL0p_EET_", "decltype ({parm#1}()) f<int>(int)"},
    {"_Z1fDTfpK0_E", "f(decltype ({parm#2}))"},
    {"_ZNK1AcvSt4pairIT_T0_EIicEEv", "A::operator std::pair<int, char><int, char>() const"},
};

static void each_rule_has_its_text(void **state)
{
    (void)state;
    struct flm_text out = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        out.size = 0;
        if (demangled_size(flm_bytes_of(names[i][0]), &out) != strlen(names[i][0]))
            fail_msg("%s is not read", names[i][0]);
        flm_text_putc(&out, 0);
        assert_string_equal(out.at, names[i][1]);
    }
    flm_text_clear(&out);
}

static void a_name_ends_at_a_dot_or_a_version(void **state)
{
    (void)state;
    struct flm_text out = {0};
    assert_int_equal(demangled_size(flm_bytes_of("_Z1fi.isra.0"), &out), 5);
    assert_int_equal(demangled_size(flm_bytes_of("_Z1fi@@V1"), &out), 5);
    assert_int_equal(demangled_size(flm_bytes_of("_ZN3a.bC1Ev.cold"), &out),
                     11); /* the first is in a name */
    assert_true(flm_bytes_are((struct flm_bytes){out.at, out.size}, "f(int)f(int)a.b::a.b()"));
    flm_text_clear(&out);
}

static void what_is_no_name_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "_",
        "_Z",
        "_Z1",
        "_Z2f",
        "_Z0v",
        "_Z1fvv1",
        "_Z1fE",
        "_Z1fi?",
        "_ZN1AE?",
        "_ZN1A",
        "_ZNE",
        "_ZNC1Ev",
        "_ZNIiE1fEv",
        "_Z1fS_",
        "_Z1fiS_",
        "_Z1f1AS0_",
        "_Z1fS",
        "_Z1fSx",
        "_Z1fT_",
        "_Z1fIiEvT0_",
        "_Z1fIiEvT",
        "_Z1fIiEvTn1_",
        "_Z1fITniEvv",
        "_Z1fITtEvv",
        "_ZNUlTtTyvE_E",
        "_Z1fIi",
        "_Z1fILi5Evv",
        "_Z1fILiEEvv",
        "_Z1fA3i",
        "_Z1fF",
        "_Z1fFvv",
        "_Z1fM1A",
        "_Z1fPKr",
        "_Z1fD",
        "_Z1fDq",
        "_Z1fDTplE",
        "_Z1fDTfp_",
        "_Z1fDv4i",
        "_Z1fDF8i7",
        "_ZZ1fvE",
        "_ZZ1fv1x",
        "_ZZ1fvEd1x",
        "_ZZ1fvE1x__12",
        "_ZL1f_n1",
        "_ZThn8N1A1fEv",
        "_ZTV",
        "_ZTx1A",
        "_ZTC1A8B",
        "_ZG",
        "_ZGn1fv",
        "_ZGT",
        "_ZUl",
        "_ZUlvE",
        "_ZUt",
        "_ZN1AC6Ev",
        "_ZN1AD3Ev",
        "_ZN1AqqEv",
        "_ZN1AcvEv",
        "_Z1fIXplLi1EEEvv",
        "_Z1fIXEEvv",
        "_Z1fIXquLi1ELi2EEEvv",
        "_Z1fIXnwLi1E_EEvv",
        "_Z1f99999999999999999999A",
        "_Z1fS99999999999999999999_",
        "_Z1fIiEvT99999999999999999999_",
        "_Z1fPDwFvvE",
        "_Z1fDTcl1gE",
        "_Z1fDTdt1aE",
        "_Z1fDTtl1AE",
        "_Z1fDTsr1AE",
        "_Z1fu",
        "_Z1fU1A",
    };
    struct flm_text out = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (demangled_size(flm_bytes_of(bad[i]), &out))
            fail_msg("%s: %.*s", bad[i], (int)out.size, out.at);
    assert_int_equal(demangled_size((struct flm_bytes){"_Z1f\0", 5}, &out), 0);
    flm_text_clear(&out);
}

/* Cut, and with another byte anywhere: refused, or another name. A byte behind the end would be
 * seen by the sanitizer. */
static void damaged_names_are_read_or_refused(void **state)
{
    (void)state;
    static const char bytes[] = "_019AEILNSTXZcdefimnprsv\xff";
    struct flm_text out = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size = strlen(names[i][0]);
        for (size_t end = 0; end <= size; end++) {
            char *copy = malloc(end + 1);
            assert_non_null(copy);
            memcpy(copy + 1, names[i][0], end);
            out.size = 0;
            demangled_size((struct flm_bytes){copy + 1, end}, &out);
            for (size_t k = 0; end > 2 && k < sizeof bytes - 1; k++) {
                copy[end] = bytes[k];
                out.size = 0;
                demangled_size((struct flm_bytes){copy + 1, end}, &out);
            }
            free(copy);
        }
    }
    flm_text_clear(&out);
}

/* ---- Compared with c++filt ------------------------------------------------------------------- */

static void put_type(struct flm_text *to, uint64_t *state, unsigned depth)
{
    static const char *const around[] = {"P",     "R",   "O",     "PK",   "K",      "V",
                                         "PVK",   "A3_", "A_",    "M1A",  "M1BK",   "C",
                                         "U3foo", "Dp",  "PA2_K", "Dv4_", "MN1A1BE"};
    static const char *const whole[] = {"i",
                                        "v",
                                        "c",
                                        "Ss",
                                        "Sa",
                                        "St3foo",
                                        "3foo",
                                        "N1A1BE",
                                        "T_",
                                        "T0_",
                                        "S_",
                                        "S0_",
                                        "S1_",
                                        "S2_",
                                        "DTfp_E",
                                        "DTplLi1ELi2EE",
                                        "Dn",
                                        "NSt3fooE",
                                        "N1AUt_E",
                                        "NUlvE_E",
                                        "Z1gvE1x",
                                        "ZN1A1gEvEUlT_E_",
                                        "N12_GLOBAL__N_11AE"};
    unsigned kind = random_below(state, depth == 0 ? 3 : 10);
    unsigned count = random_below(state, 4);
    if (kind < 3) {
        flm_text_puts(to, whole[random_below(state, sizeof whole / sizeof *whole)]);
    } else if (kind < 7) {
        flm_text_puts(to, around[random_below(state, sizeof around / sizeof *around)]);
        put_type(to, state, depth - 1);
    } else if (kind == 7) {
        flm_text_puts(to, random_below(state, 2) ? "PF" : "M1AKF");
        for (unsigned i = 0; i < count + 2; i++)
            put_type(to, state, depth - 1);
        flm_text_puts(to, "E");
    } else {
        flm_text_puts(to, kind == 8 ? "3fooI" : "NSt6vectorI");
        for (unsigned i = 0; i < count; i++) {
            if (random_below(state, 4) == 0)
                flm_text_puts(to, random_below(state, 2) ? "Li5E" : "JE");
            put_type(to, state, depth - 1);
        }
        flm_text_puts(to, kind == 8 ? "E" : "EE");
    }
}

/* Of made-up types, which real programs do not have, and of names that are none. */
static void random_types_are_as_cppfilt_says(void **unused)
{
    (void)unused;
    enum { NAMES = 3000 };
    uint64_t state = 88172645463325252;
    struct flm_text mangled = {0}, out = {0};
    if (!has_command("c++filt"))
        skip();
    for (size_t i = 0; i < NAMES; i++) {
        flm_text_puts(&mangled, i % 3 ? "_Z3barIiJcPdEEv" : "_ZNK1C3barEi");
        for (unsigned count = 1 + random_below(&state, 3); count > 0; count--)
            put_type(&mangled, &state, 3);
        flm_text_putc(&mangled, '\n');
    }
    write_temporary("types", (struct flm_bytes){mangled.at, mangled.size});
    struct flm_text plain = shell_output("c++filt -i < types");
    flm_text_putc(&plain, 0);
    flm_text_putc(&mangled, 0);
    char *a, *b;
    size_t count = 0, read = 0;
    for (char *x = strtok_r(mangled.at, "\n", &a), *y = strtok_r(plain.at, "\n", &b); x && y;
         x = strtok_r(NULL, "\n", &a), y = strtok_r(NULL, "\n", &b), count++) {
        out.size = 0;
        if (demangled_size(flm_bytes_of(x), &out) == 0)
            flm_text_puts(&out, x);
        else
            read++;
        flm_text_putc(&out, 0);
        if (strcmp(out.at, y) != 0)
            fail_msg("%s\n  %s\n  %s", x, out.at, y);
    }
    assert_int_equal(count, NAMES);
    assert_true(read > NAMES / 3);
    flm_text_clear(&mangled);
    flm_text_clear(&plain);
    flm_text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_has_its_text),
        cmocka_unit_test(a_name_ends_at_a_dot_or_a_version),
        cmocka_unit_test(what_is_no_name_is_refused),
        cmocka_unit_test(damaged_names_are_read_or_refused),
        cmocka_unit_test(random_types_are_as_cppfilt_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
